"""What `embed` returns is data: it is kept, shown, written and asked for again."""

import json
import pickle
import re
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import mvexplorer as mvx
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError, ParameterError

RNG = np.random.default_rng(3)
Z = RNG.normal(size=(90, 2))
DATA = mvx.MultiView(
    {"a": Z, "<b> & \n“c”": np.column_stack([Z, Z[:, 0] * Z[:, 1]])},
    labels=np.repeat(["one", "two", ""], 30), sample_ids=[f"s{i}" for i in range(90)],
)  # fmt: skip
NEW = [Z[:4] + 0.01, np.column_stack([Z[:4] + 0.01, Z[:4, 0]])]


def embedded(method="kernel-sum", **changes):
    return mvx.embed(DATA, method, **{"epsilon": "median", **changes})


@pytest.mark.parametrize("kernel", ["gaussian", "self-tuning", "knn-9", "landmarks-40"])
@pytest.mark.parametrize("subsample", [None, 60])
@pytest.mark.parametrize("method", ["multiview", "kernel-sum", "alternating", "single"])
def test_a_pickled_result_places_new_samples_as_before(method, subsample, kernel):
    found = embedded(method, subsample=subsample, kernel=kernel)
    back = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(back.coordinates, found.coordinates)
    np.testing.assert_array_equal(back.transform(NEW), found.transform(NEW))


@pytest.mark.parametrize("method", [m.id for m in mvx.methods() if m.extend is not None])
def test_every_extension_survives_pickle(method):
    found = embedded(method)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).transform(NEW), found.transform(NEW))


def test_repr_is_one_short_line():
    assert repr(embedded("single", view="a", epsilon=0.5)) == (
        "Embedding('single', views=('a',), shape=(90, 2), epsilon=(0.5,))"
    )
    assert "\n" not in repr(embedded())


def test_a_frame_holds_ids_labels_and_named_coordinates():
    found = embedded("multiview")
    frame = found.to_frame()
    assert frame["id"].to_list() == list(DATA.sample_ids)
    assert frame["label"].to_list() == DATA.labels.tolist()
    np.testing.assert_array_equal(frame.select(frame.columns[2:]).to_numpy(), found.coordinates)
    assert list(found.column_names) == [f"{view}_psi{k}" for view in DATA.view_names for k in (1, 2)]
    assert "label" not in mvx.embed(list(DATA.Xs), "single").to_frame().columns


def test_a_file_holds_the_request(tmp_path):
    found = embedded("multiview", eta=0.25, subsample=70, random_state=5, kernel=["gaussian", "laplacian"])
    with np.load(found.save(tmp_path / "e.npz")) as stored:
        meta = json.loads(stored["meta"].item())
        np.testing.assert_array_equal(stored["coordinates"], found.coordinates)
        np.testing.assert_array_equal(stored["eigenvalues"], found.eigenvalues)
    assert meta["program"] == f"mvexplorer {mvx.__version__}"
    assert (meta["method"], meta["eta"], meta["random_state"], meta["subsample"]) == ("multiview", "0.25", "5", "70")
    assert meta["kernel"] == "gaussian,laplacian"
    assert tuple(map(float, meta["epsilon"].split(","))) == found.epsilon
    assert pl.read_parquet_metadata(found.save(tmp_path / "e.parquet"))["method"] == "multiview"
    assert pl.read_csv(found.save(str(tmp_path / "e.csv"))).equals(pl.read_parquet(tmp_path / "e.parquet"))
    with pytest.raises(DataError, match="cannot be written as"):
        found.save(tmp_path / "e.txt")


def test_the_picture_is_small_static_and_escaped():
    html = embedded("single", view=DATA.view_names[1], n_components=1)._repr_html_()
    assert "<script" not in html
    assert "<b>" not in html
    svg = ElementTree.fromstring(re.search("<svg.*</svg>", html)[0])
    paths = svg.findall("{http://www.w3.org/2000/svg}path")
    assert sum(path.attrib["d"].count("M") for path in paths) == 90
    assert len({path.attrib["stroke"] for path in paths}) == 3  # two classes, and samples without one
    places = np.array(re.findall(r"M([\d.]+) ([\d.]+)h0", html), dtype=float)
    assert places.min() >= 0.0
    assert places.max() <= 240.0
    many = mvx.embed([RNG.normal(size=(5000, 2))], "pca")._repr_html_()
    assert many.count("h0") == 3000


@pytest.mark.parametrize(
    ("method", "changes"),
    [("pca", {}), ("cca", {}), ("multiview", {}), ("kernel-sum", {"kernel": {"a": "self-tuning"}})],
)
def test_epsilon_can_be_given_back_as_it_is(method, changes):
    found = embedded(method, **changes)
    again = embedded(method, **changes, epsilon=found.epsilon)
    np.testing.assert_array_equal(again.coordinates, found.coordinates)
    np.testing.assert_array_equal(again.epsilon, found.epsilon)


@pytest.mark.parametrize("epsilon", [[np.nan, 1.0], {"a": np.nan, DATA.view_names[1]: 1.0}])
def test_nan_is_no_bandwidth_where_one_is_needed(epsilon):
    with pytest.raises(ParameterError, match="bandwidth ε of view “a” is nan"):
        embedded(epsilon=epsilon)


@pytest.mark.parametrize(
    ("name", "near"), [("n_component", "n_components"), ("epsilonn", "epsilon"), ("view", "views")]
)
def test_an_unknown_keyword_is_answered_with_the_nearest(name, near):
    with pytest.raises(ParameterError, match=rf"Did you mean {near}\?"):
        mvx.embed(DATA, "kernel-sum", **{name: 3})


def test_what_has_no_extension_says_so_after_pickle():
    back = pickle.loads(pickle.dumps(embedded("local-cca")))
    assert get_method(back.method).extend is None
    with pytest.raises(ParameterError, match="cannot place new samples"):
        back.transform(NEW)
