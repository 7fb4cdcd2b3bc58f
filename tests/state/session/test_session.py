"""Session files: what is saved comes back, data moves along, and every way of failing has its sentence."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.bandwidth.table import bandwidth_rules
from mvexplorer.engine.methods import methods
from mvexplorer.errors import ChangedDataError, SessionError
from mvexplorer.io.base.guards import MAX_DOCUMENT
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.bench.headless import run_session
from mvexplorer.state.bench.recovery import told_by_session
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import MAX_PANELS, DocumentState, PanelState, ViewState, default_params
from mvexplorer.state.session.session import (
    FORMAT,
    RECOLOURED,
    is_session,
    open_session,
    save_session,
    session_summary,
    state_for,
)  # fmt: skip

OLD = Path(__file__).parents[2] / "data" / "session-1.mvx.json"
SECOND = OLD.with_name("session-2.mvx.json")
NAMES = ("a", "b", "c")
M = 12


def write_data(path, n_samples=M, names=NAMES, seed=0):
    random = np.random.default_rng(seed)
    np.savez(path, **{name: random.normal(size=(n_samples, 3)) for name in names})
    return path


def state_and_data(*paths):
    loaded = load_source([str(p) for p in paths])
    return commands.initial_state(loaded.data, loaded.sources, None, False), loaded.data


@pytest.fixture
def saved(tmp_path):
    """A session beside its data."""
    state, data = state_and_data(write_data(tmp_path / "data.npz"))
    path = tmp_path / "work.mvx.json"
    save_session(path, state, data, "1.2.3")
    return path


def altered(path, change):
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")
    return path


# Round trip -------------------------------------------------------------------------------------------------

numbers = st.floats(min_value=1e-12, max_value=1e12, allow_nan=False)
factors = st.floats(min_value=1e-3, max_value=1e3, allow_nan=False)
rules = st.sampled_from([r.id for r in bandwidth_rules()])
epsilons = numbers | rules | st.builds(lambda f, r: f"{f!r}*{r}", factors, rules)
pinned = st.fixed_dictionaries(
    {},
    optional={
        "eta": st.floats(0, 1),
        "t": st.integers(0, 50),
        "n_components": st.integers(1, M - 2),
        "joint_epsilon": numbers | st.none(),
        "epsilon:a": epsilons,
        "epsilon:c": epsilons,
    },
)
panels = st.builds(
    PanelState,
    id=st.just("p"),
    method=st.sampled_from([m.id for m in methods()]),
    view=st.sampled_from([*NAMES, None]),
    pair=st.none() | st.permutations(NAMES).map(lambda p: tuple(p[:2])),
    show=st.sampled_from(["consensus", *NAMES]),
    dims=st.sampled_from([2, 3]),
    axes=st.tuples(*[st.integers(0, 9)] * 3),
    pins=pinned,
)


def views_of(draw_each):
    return tuple(view.model_copy(update={"name": name}) for name, view in zip(NAMES, draw_each, strict=True))


views = st.builds(
    ViewState,
    name=st.just("a"),
    title=st.text(max_size=8),
    enabled=st.booleans(),
    preprocess=st.sampled_from(["none", "centre", "zscore"]),
    epsilon=epsilons,
    rule=rules,
    linked=st.booleans(),
)
states = st.builds(
    DocumentState,
    views=st.lists(views, min_size=3, max_size=3).map(views_of),
    epsilon_scale=factors,
    params=st.builds(
        lambda eta, t, r: {**default_params(), "eta": eta, "t": t, "n_components": r},
        st.floats(0, 1), st.integers(0, 1024), st.integers(1, M - 2),
    ),
    panels=st.lists(panels, max_size=MAX_PANELS).map(
        lambda found: tuple(p.model_copy(update={"id": f"p{i}"}) for i, p in enumerate(found))
    ),
    colour=st.text(max_size=12),
    visible_classes=st.lists(st.text(max_size=4), max_size=3).map(tuple),
    selection=st.sets(st.integers(0, M - 1)).map(lambda s: tuple(sorted(s))),
    point_size=st.floats(1, 20),
    opacity=st.floats(0.05, 1),
    random_state=st.integers(0, 2**31),
)  # fmt: skip
rotations = st.dictionaries(st.sampled_from(["p0", "p1"]), st.tuples(*[st.tuples(*[st.floats(-1, 1)] * 3)] * 3))


def round_trip(tmp_path, state, cameras):
    source = tmp_path / "data.npz"
    if not source.exists():
        write_data(source)
    state = updated(state, {"source": (str(source),)})
    data = load_source(str(source), preprocess=[v.preprocess for v in state.views]).data
    path = tmp_path / "session.mvx.json"
    save_session(path, state, data, "1.2.3", cameras)
    opened = open_session(path)
    assert opened.state == state
    assert opened.cameras == cameras
    assert opened.data.preprocess == data.preprocess
    np.testing.assert_array_equal(opened.data.Xs[0], data.Xs[0])
    before = path.read_text("utf-8")
    save_session(path, opened.state, opened.data, "1.2.3", opened.cameras)
    assert path.read_text("utf-8") == before


def examples(count):
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(deadline=None, derandomize=True, max_examples=count, suppress_health_check=checks)


@examples(20)
@given(state=states, cameras=rotations)
def test_what_is_saved_comes_back(tmp_path, state, cameras):
    round_trip(tmp_path, state, cameras)


@pytest.mark.nightly
@examples(3000)
@given(state=states, cameras=rotations)
def test_whatever_is_saved_comes_back(tmp_path, state, cameras):
    round_trip(tmp_path, state, cameras)


def test_a_sample_comes_back_by_its_name(tmp_path):
    loaded = load_source("helix-a")
    state = commands.initial_state(loaded.data, loaded.sources, loaded.manifest, False)
    save_session(tmp_path / "s.mvx.json", state, loaded.data, "1")
    opened = open_session(tmp_path / "s.mvx.json")
    assert opened.state == state
    assert opened.state.source == ("helix-a",)


def test_a_generated_sample_may_differ_in_its_last_digits(tmp_path):
    loaded = load_source("helix-a")
    state = commands.initial_state(loaded.data, loaded.sources, loaded.manifest, False)
    elsewhere = loaded.data.replace(Xs=[np.nextafter(X, np.inf) for X in loaded.data.Xs])
    save_session(tmp_path / "s.mvx.json", state, elsewhere, "1")
    elsewhere = elsewhere.replace(latent={k: np.nextafter(v, np.inf) for k, v in loaded.data.latent.items()})
    save_session(tmp_path / "s.mvx.json", state, elsewhere, "1")
    assert open_session(tmp_path / "s.mvx.json").state == state
    other = loaded.data.replace(Xs=[X + 1e-3 for X in loaded.data.Xs])
    save_session(tmp_path / "s.mvx.json", state, other, "1")
    with pytest.raises(SessionError, match="data has changed"):
        open_session(tmp_path / "s.mvx.json")


def test_rows_dropped_when_saved_are_dropped_when_opened(tmp_path):
    X = np.arange(30.0).reshape(10, 3)
    X[2, 1] = np.nan
    np.save(tmp_path / "gaps.npy", X)
    loaded = load_source(str(tmp_path / "gaps.npy"), drop_missing=True)
    state = commands.initial_state(loaded.data, loaded.sources, None, True)
    save_session(tmp_path / "s.mvx.json", state, loaded.data, "1")
    opened = open_session(tmp_path / "s.mvx.json")
    assert opened.data.n_samples == 9
    assert any("dropped" in note for note in opened.notes)


def test_the_rings_of_a_kept_sample_are_carried(tmp_path):
    loaded = load_source("helix-a")
    state = commands.initial_state(loaded.data, loaded.sources, None, True)
    for within in (True, False):
        point = updated(state.point, {"kept": 7, "within": within})
        save_session(tmp_path / "s.mvx.json", updated(state, {"point": point}), loaded.data, "1")
        found = open_session(tmp_path / "s.mvx.json").state.point
        assert (found.kept, found.within) == (7, within)


def test_a_first_session_opens_for_ever():
    opened = open_session(OLD)
    state = opened.state
    assert state.source == ("helix-a",)
    assert opened.data.n_samples == 600
    assert opened.data.preprocess == ("none", "centre")
    assert [v.epsilon for v in state.views] == [0.5, "median/9"]
    assert [v.linked for v in state.views] == [True, False]
    assert state.epsilon_scale == 1.25
    assert {k: state.params[k] for k in ("n_components", "t", "eta")} == {"n_components": 6, "t": 2, "eta": 0.25}
    assert [p.method for p in state.panels] == ["single", "single", "concatenation", "de-sa", "multiview"]
    assert [p.id for p in state.panels] == ["p1", "p2", "p4", "p5", "p6"]
    assert (state.panel("p1").dims, state.panel("p1").axes) == (3, (1, 0, 2))
    assert (state.panel("p5").pair, state.panel("p5").show) == (("view2", "view1"), "view1")
    assert state.panel("p6").pins == {"eta": 0.0, "epsilon:view1": "2*max-min"}
    assert (state.selection, state.colour, state.point_size) == ((5, 6, 7, 599), "feature:view1:2", 7.0)
    assert opened.cameras == {"p1": ((0, -1, 0), (1, 0, 0), (0, 0, 1))}


def test_a_second_session_opens_for_ever():
    """One of files: roles, names, weights, kernels, pins, and a colouring."""
    opened = open_session(SECOND)
    state, data = opened.state, opened.data
    assert state.source == tuple(str(SECOND.parent / f"session-2-{side}.csv") for side in ("left", "right"))
    assert (data.view_names, data.n_samples, data.sample_ids[:2]) == (("left", "right"), 24, ("s0", "s1"))
    assert (data.preprocess, data.feature_weights[0].tolist()) == (("zscore", "zscore"), [1.0, 2.0, 0.5])
    assert (sorted(set(data.labels)), list(data.columns)) == (["early", "late"], ["batch"])
    assert [v.kernel for v in state.views] == ["gaussian", "laplacian"]
    assert (state.views[0].epsilon, state.epsilon_scale) == ("median/4", 1.5)
    assert (state.params["n_components"], state.params["eta"]) == (5, 0.3)
    assert [p.method for p in state.panels][-2:] == ["multiview", "mgc"]
    assert state.panel("p6").pins == {"t": 3, "epsilon:left": 0.7}
    assert (state.panel("p3").trim, state.panel("p3").dims) == (True, 3)
    assert (state.selection, state.colour, state.visible_classes) == ((1, 2, 23), "column:batch", ("0",))
    finished = run_session(SECOND)
    assert finished.failed == []
    assert finished.results["p6"].result.embedding.epsilon[0] == 0.7


def test_a_session_with_its_data_opens_for_ever():
    opened, named = open_session(SECOND.with_name("session-2.mvx")), open_session(SECOND)
    assert opened.state.model_copy(update={"source": (), "reading": named.state.reading}) == named.state.model_copy(
        update={"source": ()}
    )
    assert opened.data.fingerprint == named.data.fingerprint
    assert (opened.data.sample_ids, opened.data.preprocess) == (named.data.sample_ids, named.data.preprocess)
    assert list(opened.data.columns["batch"]) == list(named.data.columns["batch"])
    finished = run_session(SECOND.with_name("session-2.mvx"))
    assert finished.failed == []
    for id, picture in opened.pictures.items():
        found = finished.results[id].result.embedding
        np.testing.assert_allclose(np.abs(picture.embedding.eigenvalues), np.abs(found.eigenvalues), atol=1e-8)


def test_a_first_session_is_computed_for_ever():
    finished = run_session(OLD)
    assert finished.failed == []
    assert [row[0] for row in finished.rows] == ["p1", "p2", "p4", "p5", "p6"]
    assert finished.results["p1"].result.embedding.epsilon == (0.5 * 1.25,)
    assert finished.results["p5"].result.embedding.views == ("view2", "view1")


# Where the data is ------------------------------------------------------------------------------------------


def test_data_beside_the_session_moves_with_it(saved, tmp_path):
    assert json.loads(saved.read_text("utf-8"))["state"]["source"] == ["./data.npz"]
    elsewhere = tmp_path / "other" / "place"
    elsewhere.mkdir(parents=True)
    for name in ("data.npz", "work.mvx.json"):
        shutil.move(tmp_path / name, elsewhere / name)
    opened = open_session(elsewhere / "work.mvx.json")
    assert opened.state.source == (str(elsewhere / "data.npz"),)


def test_data_elsewhere_is_named_in_full(tmp_path):
    (tmp_path / "sessions").mkdir()
    (tmp_path / "data").mkdir()
    source = write_data(tmp_path / "data" / "d.npz")
    state, data = state_and_data(source)
    path = tmp_path / "sessions" / "s.mvx.json"
    save_session(path, state, data, "1")
    assert json.loads(path.read_text("utf-8"))["state"]["source"] == [str(source)]
    moved = tmp_path / "s.mvx.json"
    shutil.move(path, moved)
    assert open_session(moved).state == state


def test_a_session_is_found_from_another_folder(saved, tmp_path, monkeypatch):
    (tmp_path / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "deeper")
    assert open_session(Path("../work.mvx.json")).state.source == (str(tmp_path / "data.npz"),)


def test_a_file_with_a_samples_name_stays_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_data(tmp_path / "helix-a.npz")
    state, data = state_and_data(tmp_path / "helix-a.npz")
    save_session("s.mvx.json", state, data, "1")
    assert open_session("s.mvx.json").data.view_names == NAMES


def test_saving_replaces_the_former_session_and_leaves_nothing_else(saved, tmp_path):
    state, data = state_and_data(tmp_path / "data.npz")
    save_session(saved, state.model_copy(update={"colour": "feature:a:0"}), data, "1")
    assert open_session(saved).state.colour == "feature:a:0"
    assert sorted(os.listdir(tmp_path)) == ["data.npz", "work.mvx.json"]


def test_a_mistyped_folder_is_not_made(tmp_path):
    state, data = state_and_data(write_data(tmp_path / "d.npz"))
    path = tmp_path / "new" / "folder" / "s.mvx.json"
    with pytest.raises(SessionError, match=r"cannot be saved.*no such file or directory.*Choose another folder"):
        save_session(path, state, data, "1")
    assert not path.parent.exists()


# What goes wrong --------------------------------------------------------------------------------------------


def message_of(path, **options):
    with pytest.raises(SessionError) as caught:
        open_session(path, **options)
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_data_that_is_gone(saved, tmp_path):
    (tmp_path / "data.npz").unlink()
    assert message_of(saved).startswith("The data of this session cannot be opened: There is no sample or file")


def test_data_that_cannot_be_read(saved, tmp_path):
    (tmp_path / "data.npz").write_bytes(b"")
    assert "The file “data.npz” is empty." in message_of(saved)


def test_data_that_has_changed(saved, tmp_path):
    write_data(tmp_path / "data.npz", seed=1)
    assert message_of(saved).startswith("The data has changed since the session was saved")
    with pytest.raises(ChangedDataError):  # what the window and the command line decide by
        open_session(saved)
    assert open_session(saved, accept_changed=True).data.n_samples == M


OTHERS = {
    "ids": ("Z", "its sample names differ"), "c": (1.5, "its columns differ"), "X_umap": (0.5, "its given coordinates"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_names_columns_and_coordinates_that_have_changed(tmp_path, name):
    value, words = OTHERS[name]
    random = np.random.default_rng(0)
    arrays = {"a": random.normal(size=(M, 3)), "X_umap": random.normal(size=(M, 2)), "c": np.arange(M) / 7}
    arrays["ids"] = np.array([f"{i}" for i in range(M)])
    np.savez(tmp_path / "data.npz", **arrays)
    options = ReadOptions(roles={"X_umap": "coordinates"})
    loaded = load_source(str(tmp_path / "data.npz"), options)
    path = tmp_path / "s.mvx.json"
    state = commands.initial_state(loaded.data, loaded.sources, None)
    save_session(path, updated(state, {"reading": options}), loaded.data, "1")
    assert open_session(path).state.views
    arrays[name][0] = value
    np.savez(tmp_path / "data.npz", **arrays)
    with pytest.raises(ChangedDataError, match=f"The data has changed since the session was saved: {words}"):
        open_session(path)
    assert open_session(path, accept_changed=True).data.n_samples == M
    open_session(altered(path, lambda c: c.pop("digests")))  # as older sessions


@pytest.mark.parametrize(
    ("n_samples", "names"), [(M - 1, NAMES), (M, ("a", "b", "other")), (M, ("a", "b")), (M, (*NAMES, "d"))]
)
def test_data_with_other_samples_or_views(saved, tmp_path, n_samples, names):
    write_data(tmp_path / "data.npz", n_samples, names)
    for accept in (False, True):
        said = message_of(saved, accept_changed=accept)
        assert said.startswith("The session was made for 12 samples of a, b, c; its data now has")
        assert f"{n_samples} of {', '.join(names)}." in said


def test_a_file_that_breaks_off(saved):
    text = saved.read_text("utf-8")
    saved.write_text(text[: len(text) // 2], "utf-8")
    assert "is broken: it is not complete JSON." in message_of(saved)


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000])
def test_a_file_that_is_not_json(tmp_path, content):
    path = tmp_path / "s.mvx.json"
    path.write_bytes(content)
    assert "is broken: it is not complete JSON." in message_of(path)


@pytest.mark.parametrize(
    "content", [b"[]", b"{}", b"3", b'"text"', b"null", b'{"type": "FeatureCollection"}', b"\xff\xfe"]
)
def test_a_file_that_is_no_session(tmp_path, content):
    path = tmp_path / "s.mvx.json"
    path.write_bytes(content)
    assert message_of(path) == "s.mvx.json is not a session file. Choose a file that ends in .mvx.json."


@pytest.mark.parametrize("version", [FORMAT + 1, 0, "1", None])
def test_another_format(saved, version):
    altered(saved, lambda c: c.update(format=version))
    assert f"has format {version}, this program reads format 1." in message_of(saved)


BROKEN = {
    "unknown key": (lambda c: c.update(magic=1), "magic"),
    "unknown key of the state": (lambda c: c["state"].update(magic=1), "state.magic"),
    "unknown key of a panel": (lambda c: c["state"]["panels"][0].update(magic=1), "state.panels.0.magic"),
    "text for a number": (lambda c: c["state"].update(opacity="much"), "state.opacity"),
    "unknown parameter": (lambda c: c["state"]["params"].update(magic=1), "no parameter called magic"),
    "missing key": (lambda c: c.pop("fingerprint"), "fingerprint"),
    "two panels with one id": (lambda c: c["state"]["panels"].append(c["state"]["panels"][0]), "same name"),
    "unknown method": (lambda c: c["state"]["panels"][0].update(method="magic"), "no method called “magic”"),
    "unknown rule": (lambda c: c["state"]["views"][0].update(epsilon="magic"), "no bandwidth rule called “magic”"),
    "no bandwidth": (lambda c: c["state"]["views"][0].update(epsilon=-1.0), "bandwidth ε"),
    "parameter out of range": (lambda c: c["state"]["params"].update(eta=7), "cannot be 7"),
    "samples that do not exist": (lambda c: c["state"].update(selection=[0, M]), "samples that do not exist"),
    "samples before the first": (lambda c: c["state"].update(selection=[-1]), "samples that do not exist"),
    "camera": (lambda c: c.update(cameras={"p1": [[1, 0], [0, 1]]}), "cameras.p1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_session_that_makes_no_sense(saved, name):
    change, expected = BROKEN[name]
    assert expected in message_of(altered(saved, change))


def test_a_session_that_is_not_there_or_is_a_folder(tmp_path):
    assert "cannot be read: no such file or directory." in message_of(tmp_path / "none.mvx.json")
    assert "cannot be read: is a directory." in message_of(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_a_session_that_is_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "s.mvx.json")
    assert "cannot be read: it is a pipe" in message_of(tmp_path / "s.mvx.json")
    assert session_summary(tmp_path / "s.mvx.json") is None


SOURCES = {
    "a character no name has": (["x\0y"], "a character that no file name has"),
    "a link that leads back to itself": (["loop.npy"], "cannot be opened"),
    "more files than there can be views": (["data.npz"] * 3000, "There are 3,000 files of tables, where 500 are"),
    "no file": ([], "No file was given."),
    "no name": ([""], "The session names no data."),
    "no name beside one": (["data.npz", ""], "The session names no data."),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_session_of_strange_sources(saved, name):
    (saved.parent / "loop.npy").symlink_to("loop.npy")
    sources, expected = SOURCES[name]
    assert expected in message_of(altered(saved, lambda c: c["state"].update(source=sources)))


def test_a_session_nested_beyond_all_depth(saved):
    text = saved.read_text("utf-8").rstrip().removesuffix("}")
    saved.write_text(f'{text}, "x": {"[" * 100_000}{"]" * 100_000}}}', "utf-8")
    assert "is broken" in message_of(saved)
    assert session_summary(saved) is None


def test_a_session_larger_than_any(saved):
    with saved.open("r+b") as file:
        file.truncate(MAX_DOCUMENT + 1)
    assert "cannot be read: it has 100,000,001 bytes, where 100,000,000 are the most" in message_of(saved)
    assert session_summary(saved) is None


def test_a_session_that_cannot_be_saved(tmp_path):
    state, data = state_and_data(write_data(tmp_path / "data.npz"))
    (tmp_path / "folder.mvx.json").mkdir()
    (tmp_path / "file").write_text("")
    for target in ("folder.mvx.json", "file/s.mvx.json", "x" * 300 + ".mvx.json"):
        with pytest.raises(SessionError, match="cannot be saved to") as caught:
            save_session(tmp_path / target, state, data, "1")
        assert caught.value.hint
    assert sorted(os.listdir(tmp_path)) == ["data.npz", "file", "folder.mvx.json"]


def test_a_session_is_known_by_its_ending():
    assert is_session("a/b.mvx.json")
    assert not is_session("a/b.json")


def test_a_summary_for_the_start_page(saved, tmp_path):
    assert session_summary(saved).line == "data.npz, 6 panels"
    assert session_summary(OLD).line == "Helix A: a ring that no single view closes, 5 panels"
    altered(saved, lambda c: c["state"].update(source=["a.csv"] * 2000))
    assert session_summary(saved).line == "a.csv, a.csv, a.csv …, 6 panels"
    assert session_summary(tmp_path / "none.mvx.json") is None
    (tmp_path / "broken.mvx.json").write_text("[]")
    assert session_summary(tmp_path / "broken.mvx.json") is None


def test_an_old_session_whose_classes_change_colour_says_so(tmp_path):
    state, data = state_and_data(write_data(tmp_path / "data.npz"))
    np.savez(tmp_path / "data.npz", **dict(zip(NAMES, data.Xs, strict=True)), label=["c2", "c10"] * (M // 2))
    state, data = state_and_data(tmp_path / "data.npz")
    path = tmp_path / "work.mvx.json"
    save_session(path, state, data, "1.2.3")
    assert RECOLOURED not in open_session(path).notes
    assert RECOLOURED in open_session(altered(path, lambda c: c.pop("class_order"))).notes


def test_a_selection_is_a_set(saved):
    altered(saved, lambda c: c["state"].update(selection=[7, 5, 5, 7]))
    assert open_session(saved).state.selection == (5, 7)


@pytest.mark.parametrize("change", [{"view": "nosuch"}, {"pair": ["a", "nosuch"]}])
def test_panels_of_views_that_the_data_lacks_are_told(saved, change):
    assert told_by_session(open_session(saved).notes) == []
    altered(saved, lambda c: c["state"]["panels"][0].update(change))
    told = told_by_session(open_session(saved).notes)
    assert told == ["The data has no view called nosuch. These panels use others: Single · a."]


LOOP: dict[str, object] = {"format": 1}
LOOP["state"] = LOOP


@pytest.mark.parametrize(
    ("given", "words"),
    [([1, 2], "A session is a file or a mapping, not list."), (5, "A session is a file or a mapping, not int."),
     ({}, "The mapping given is not a session."), ({"a": 1}, "The mapping given is not a session."),
     ({"format": 1, "x": object()}, "JSON cannot hold what is in it."), (LOOP, "JSON cannot hold what is in it."),
     ({"format": 1, "x": "\ud800"}, "JSON cannot hold what is in it."), ("a\0b.mvx.json", "cannot be read"),
     ({"format": 1}, "is broken at")],
)  # fmt: skip
def test_sessions_from_python_that_are_none(saved, given, words):
    with pytest.raises(SessionError) as caught:
        state_for(open_session(saved).data, given)
    assert words in caught.value.message
    assert "\n" not in str(caught.value)
    assert "ends in" not in caught.value.hint
