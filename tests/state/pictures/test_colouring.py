"""What points are coloured by: classes, numbers, angles, features, coordinates, and sources that are gone."""

import numpy as np
import pytest
from inline import N_SAMPLES, circle_data

from mvexplorer.datasets.loading import load
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.colour_titles import MAX_CLASSES
from mvexplorer.state.document.commands import initial_state, use_as_label
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.colouring import colour_groups, colour_sources, orders_differ, resolve_colouring

DATA = circle_data()


def coloured_by(values, source="column:c"):
    values = np.asarray(values)
    data = MultiView([np.arange(len(values), dtype=float)], columns={"c": values}, labels=values)
    return resolve_colouring(source, data, {})


def test_labels_are_classes_with_counts():
    found = resolve_colouring("labels", DATA, {})
    assert found.classes == ("0", "1", "2")
    assert sum(found.counts) == N_SAMPLES
    assert found.counts == tuple(int((DATA.labels == c).sum()) for c in range(3))
    np.testing.assert_array_equal(found.values, DATA.labels)


def test_text_is_classes():
    found = resolve_colouring("column:weather", DATA, {})
    assert found.classes == ("rain", "sun")
    assert [found.classes[code] for code in found.values] == DATA.columns["weather"].tolist()
    assert found.title == "weather"


def test_fractions_are_numbers():
    found = resolve_colouring("column:mass", DATA, {})
    assert (found.classes, found.counts, found.cyclic) == ((), (), False)
    np.testing.assert_array_equal(found.values, DATA.columns["mass"])


def test_angles_are_cyclic():
    found = resolve_colouring("latent:angle", DATA, {})
    assert found.cyclic
    assert found.title == "angle (true)"


@pytest.mark.parametrize("values", [np.linspace(0, 3, 50), np.linspace(-np.pi, np.pi, 50), np.linspace(0, 7, 50)])
def test_other_ranges_are_not_angles(values):
    assert not coloured_by(values).cyclic


def test_few_whole_numbers_are_classes_and_many_are_numbers():
    assert coloured_by([1, 2, 2, 10]).classes == ("1", "2", "10")
    assert coloured_by(np.arange(MAX_CLASSES + 1)).classes == ()
    assert coloured_by([0.0, 1.5, 1.5], "labels").classes == ("0", "1.5")
    assert coloured_by([0.0, 1.5, 1.5]).classes == ()
    assert coloured_by([True, False, True]).classes == ("False", "True")


@pytest.mark.parametrize(
    "names",
    [
        ("class 1", "class 2", "class 10"), ("-3", "-1", "0.5", "2", "10"), ("2 b", "10 a"), ("x2y3", "x2y10", "x10y1"),
        ("", "a", "a1", "B"), ("7", "seven"), ("1" * 5000, "2" * 5000), ("01", "1"), ("٣", "10"),
    ],
)  # fmt: skip
def test_classes_are_in_natural_order(names):
    values = np.array(list(reversed(names)) * 2, dtype=object)
    found = coloured_by(values)
    assert found.classes == tuple(n for n in names if n) + (("unlabelled",) if "" in names else ())
    assert [found.classes[code] or "" for code in found.values] == [str(n) or "unlabelled" for n in values]
    data = MultiView([np.arange(6.0)], labels=np.array(["2", "10", "1", "x", "2", "10"]))
    assert orders_differ("labels", data)
    assert not orders_differ("labels", DATA)
    assert not orders_differ("column:gone", data)


def test_a_feature_is_named_from_one():
    found = resolve_colouring("feature:v2:1", DATA, {})
    assert found.title == "v2, feature 2"
    np.testing.assert_array_equal(found.values, DATA.Xs[1][:, 1])


def test_a_view_may_have_a_colon_in_its_name():
    data = MultiView({"a:b": np.arange(8.0).reshape(4, 2)})
    np.testing.assert_array_equal(resolve_colouring("feature:a:b:1", data, {}).values, [1, 3, 5, 7])


def test_coordinates_of_other_samples_colour_nothing():
    former = np.zeros((N_SAMPLES + 1, 3))
    assert resolve_colouring("coordinate:p1:0", DATA, {"p1": former}) is None


def test_a_panels_coordinate_diverges_from_zero():
    Y = np.arange(2.0 * N_SAMPLES).reshape(N_SAMPLES, 2)
    found = resolve_colouring("coordinate:p1:1", DATA, {"p1": Y})
    assert found.diverging
    np.testing.assert_array_equal(found.values, Y[:, 1])


@pytest.mark.parametrize(
    "source",
    ["", "nothing", "column:gone", "latent:gone", "feature:gone:0", "feature:v1:2", "feature:v1:-1", "feature:v1:x",
     "feature:v1", "coordinate:p9:0", "coordinate:p1:7", "coordinate:p1:"],
)  # fmt: skip
def test_what_is_not_there_colours_nothing(source):
    assert resolve_colouring(source, DATA, {"p1": np.zeros((N_SAMPLES, 2))}) is None


def test_labels_that_are_not_there_colour_nothing():
    assert resolve_colouring("labels", circle_data(labels=False), {}) is None


def test_the_label_is_called_as_its_column_is(tmp_path):
    rows = [f"{i * i % 7},{'ab'[i % 2]},{'cd'[i % 2]}" for i in range(12)]
    (tmp_path / "x.csv").write_text("\n".join(["u,befund,ort", *rows]))
    data = load(tmp_path / "x.csv", labels="befund")
    assert colour_sources(data)[0] == ("labels", "befund")
    assert resolve_colouring("labels", data.take(range(6)), {}).title == "befund"
    plain = load(tmp_path / "x.csv")
    document = Document()
    document.reset(initial_state(plain, ("x.csv",), None), plain)
    use_as_label(document, "ort")
    assert resolve_colouring("labels", document.data, {}).title == "ort"


def test_everything_offered_can_be_resolved():
    sources = colour_sources(DATA)
    assert sources == (
        ("labels", "label"), ("latent:angle", "angle (true)"), ("column:weather", "weather"), ("column:mass", "mass"),
    )  # fmt: skip
    for source, title in sources:
        assert resolve_colouring(source, DATA, {}).title == title
    assert colour_sources(MultiView([np.zeros((3, 1))])) == ()


def test_sources_are_grouped_and_found_by_words():
    wide = MultiView(
        {"fou": np.zeros((3, 76)), "pix": np.zeros((3, 240))}, labels=[0, 1, 1], latent={"angle": [0, 1, 2]}
    )
    groups = {g.title: g for g in colour_groups(wide, {"p1": "Kernel sum"}, most=50)}
    assert list(groups) == [
        "",
        "Labels",
        "Hidden variables",
        "Coordinates of Kernel sum",
        "Columns of fou",
        "Columns of pix",
    ]
    assert [len(g.sources) for g in groups.values()] == [1, 1, 1, 6, 50, 50]
    assert [g.left for g in groups.values()] == [0, 0, 0, 0, 26, 190]
    found = colour_groups(wide, {"p1": "Kernel sum"}, "PIX 23", most=50)
    assert [g.title for g in found] == ["Columns of pix"]
    assert list(found[0].sources)[:2] == ["feature:pix:22", "feature:pix:122"]
    assert found[0].left == 0
    assert colour_groups(wide, {}, "nothing so called") == ()
    assert colour_groups(None, {}, "")[0].sources == {"": "one colour"}
