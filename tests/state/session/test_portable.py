"""Sessions with their data in one file: everything comes back, and a file that lies or breaks off is one sentence."""

from __future__ import annotations

import io
import json
import pickle
import shutil
import stat
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.errors import ChangedDataError, DataError, DataWarning, SessionDataError, SessionError
from mvexplorer.io.base.guards import READ_LIMIT
from mvexplorer.io.writing.container import read_container, write_container
from mvexplorer.state.bench.headless import compute, run_session
from mvexplorer.state.bench.recovery import ways_to_data
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.session.portable import pictures_of
from mvexplorer.state.session.session import OpenSessionJob, SaveSessionJob, open_session, save_session

M = 15


def everything() -> mvx.MultiView:
    """Data with all that a `MultiView` can have."""
    random = np.random.default_rng(3)
    return mvx.MultiView(
        [random.normal(size=(M, 3)), random.integers(0, 9, size=(M, 4))],
        view_names=("sound", "pic/../ture"), labels=["a", "", "b"] * 5, sample_ids=[f"№ {i}" for i in range(M)],
        images=random.integers(0, 255, size=(M, 4, 5, 3)), columns={"when": np.arange(M) / 7, "who": list("xyz") * 5},
        latent={"θ": np.linspace(0, 6, M)}, bursts=[random.normal(size=(M, 2, 3)), random.normal(size=(M, 2, 4))],
        coordinates={"X_umap": random.normal(size=(M, 2))}, preprocess=("pca:2", "zscore"),
        feature_weights=[[1.0, 0.5], None], feature_names=[("low", "mid", "high"), None],
    )  # fmt: skip


def same(one: mvx.MultiView, other: mvx.MultiView) -> None:
    """Check that two data sets are alike in everything."""
    for name in ("view_names", "sample_ids", "preprocess", "feature_names"):
        assert getattr(one, name) == getattr(other, name)
    assert one.fingerprint == other.fingerprint
    assert [one.view_key(i) for i in range(one.n_views)] == [other.view_key(i) for i in range(other.n_views)]
    for values, others in ((one.labels, other.labels), (one.images, other.images)):
        np.testing.assert_array_equal(values, others)
        assert values is None or values.dtype == others.dtype
    for found, kept in ((one.columns, other.columns), (one.latent, other.latent), (one.coordinates, other.coordinates)):
        assert list(found) == list(kept)
        for name, values in found.items():
            np.testing.assert_array_equal(values, kept[name])
            assert values.dtype == kept[name].dtype


def state_of(data: mvx.MultiView):
    """The state such data opens in, with its weights."""
    document = Document()
    document.reset(commands.initial_state(data, ("memory",), None), data)
    for view, weights in zip(data.view_names, data.feature_weights, strict=True):
        if weights is not None:
            commands.apply_weights(document, view, weights.tolist())
    return document.state


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """A session with everything in it, pictures included."""
    data = everything()
    state = state_of(data)
    finished = compute(state, data)
    path = tmp_path_factory.mktemp("with-data") / "work.mvx"
    save_session(
        path, state, data, "1", {"p1": ((0, -1, 0), (1, 0, 0), (0, 0, 1))}, pictures=pictures_of(finished.results)
    )
    return path


def test_data_state_cameras_and_pictures_come_back(saved, tmp_path):
    alone = Path(shutil.copy(saved, tmp_path / "alone.mvx"))
    opened = open_session(alone)
    same(opened.data, everything())
    assert opened.state == state_of(everything()).model_copy(update={"source": (str(alone),)})
    assert opened.cameras == {"p1": ((0, -1, 0), (1, 0, 0), (0, 0, 1))}
    finished = compute(opened.state, opened.data)
    assert set(opened.pictures) == {p.id for p in opened.state.panels} == set(finished.results)
    for id, picture in opened.pictures.items():
        found = finished.results[id]
        np.testing.assert_allclose(picture.embedding.coordinates, found.result.embedding.coordinates, atol=1e-10)
        np.testing.assert_allclose(picture.embedding.eigenvalues, found.result.embedding.eigenvalues, atol=1e-12)
        assert picture.embedding.warnings == found.result.embedding.warnings
        assert [n.level for _, n in picture.embedding.warnings] == [n.level for _, n in found.result.embedding.warnings]
        assert picture.embedding.request == found.result.embedding.request
        assert picture.scores == found.scores


def test_it_is_computed_without_a_window(saved):
    finished = run_session(saved)
    assert finished.failed == []
    assert len(finished.rows) == 6


def test_its_data_is_loaded_by_name(saved):
    same(mvx.load(saved), everything())
    same(mvx.load(str(saved)), everything())
    chosen = mvx.load(saved, views=["sound"], labels="who", preprocess="centre")
    assert (chosen.view_names, chosen.preprocess, chosen.labels[:3].tolist()) == (("sound",), ("centre",), list("xyz"))
    with pytest.raises(DataError, match=r"“work\.mvx” holds all the data of a session, and cannot be joined"):
        mvx.load([saved, saved])


def test_a_session_about_it_is_a_session_like_any_other(saved, tmp_path):
    """Work in progress is kept without the data, which it finds in the file."""
    shutil.copy(saved, tmp_path / "work.mvx")
    opened = open_session(tmp_path / "work.mvx")
    save_session(tmp_path / "kept.mvx.json", opened.state, opened.data, "1")
    again = open_session(tmp_path / "kept.mvx.json")
    assert again.state == opened.state
    same(again.data, opened.data)


def test_ids_that_stand_for_several_samples_are_told_once_not_at_every_opening(tmp_path):
    with pytest.warns(DataWarning, match="3 ids stand for several samples"):
        data = mvx.MultiView([np.eye(M)], sample_ids=list("xyz") * 5)
    save_session(tmp_path / "s.mvx", state_of(data), data, "1")
    same(open_session(tmp_path / "s.mvx").data, data)


def test_waveforms_and_labels_are_saved_as_they_are_seen(tmp_path):
    waves = np.random.default_rng(0).normal(size=(M, 4000))
    np.savez(tmp_path / "waves.npz", left=waves, right=waves[::-1], kind=["a", "b", "c"] * 5)
    loaded = load_source(str(tmp_path / "waves.npz"))
    document = Document()
    document.reset(commands.initial_state(loaded.data, loaded.sources, None), loaded.data)
    commands.use_as_label(document, "kind")
    commands.use_sonograms(
        document, mvx.waveform_views(document.data, 40.0, preset="seismic-events"), 40.0, "seismic-events"
    )
    save_session(tmp_path / "s.mvx", document.state, document.data, "1")
    (tmp_path / "waves.npz").unlink()
    opened = open_session(tmp_path / "s.mvx")
    same(opened.data, document.data)
    assert opened.state.sonogram is None


def test_data_in_a_memory_map_is_written_in_blocks(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (M, 40_000))
    X[:] = np.random.default_rng(0).normal(size=X.shape)
    data = mvx.MultiView([np.load(tmp_path / "x.npy", mmap_mode="r")])
    told: list[float] = []
    save_session(tmp_path / "s.mvx", state_of(data), data, "1", tick=told.append)
    assert told == sorted(told)
    assert 0.99 < told[-1] <= 1.0
    np.testing.assert_array_equal(open_session(tmp_path / "s.mvx").data.Xs[0], X)


def test_a_write_that_is_stopped_leaves_what_was_there(saved, tmp_path):
    path = Path(shutil.copy(saved, tmp_path / "s.mvx"))
    before, data = path.read_bytes(), everything()
    task = Task(lambda fraction: task.cancel() if fraction > 0.1 else None)
    job = SaveSessionJob(path, state_of(data), data, "2", {})
    with pytest.raises(Cancelled):
        pickle.loads(pickle.dumps(job)).run(StageCache(), task)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.mvx"]
    job.run(StageCache(), Task())
    _, opened = OpenSessionJob(path).run(StageCache(), Task())
    assert opened.pictures == {}


def test_no_permission_to_write(tmp_path):
    with pytest.raises(SessionError, match=r"The session cannot be saved to .*no such file or directory"):
        save_session(tmp_path / "none" / "s.mvx", state_of(everything()), everything(), "1")


def test_data_that_was_replaced_inside_is_noticed(saved, tmp_path):
    """As it is beside any other session: refused, and opened all the same where that is wished."""
    path = tmp_path / "bad.mvx"
    for member, values, words in (
        ("data/000-view.npy", npy(everything().Xs[0] + 1e-3), "hold other numbers"),
        ("data/007-ids.json", b'{"mixed": false, "values": %s}' % json.dumps(list("abcdefghijklmno")).encode(),
         "its sample names differ"),
    ):  # fmt: skip
        rebuilt(saved, path, change={member: values}).close()
        with pytest.raises(ChangedDataError, match=words) as caught:
            open_session(path)
        assert [text for text, _ in ways_to_data(caught.value, path, print, print)] == ["Open anyway"]
        assert open_session(path, accept_changed=True).data.n_samples == M


def test_data_inside_is_sought_nowhere_else(saved, tmp_path):
    with pytest.raises(SessionError, match=r"“work\.mvx” has its data inside, and none elsewhere\. Leave --data out"):
        open_session(saved, data=tmp_path)
    path = tmp_path / "bad.mvx"
    rebuilt(saved, path, change={"session.json": other_session(saved, n_samples=M - 1)}).close()
    with pytest.raises(SessionError, match="The session was made for 14 samples") as caught:
        open_session(path, accept_changed=True)
    assert not isinstance(caught.value, SessionDataError)


# What goes wrong --------------------------------------------------------------------------------------------


def rebuilt(saved: Path, path: Path, *, leave_out: str = "", change: dict[str, bytes] | None = None) -> zipfile.ZipFile:
    """A copy of the file, open for more members."""
    made = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(saved) as old:
        for info in old.infolist():
            if info.filename != leave_out:
                made.writestr(info.filename, (change or {}).get(info.filename, old.read(info.filename)))
    return made


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


class Trap:
    """Tells if it is ever unpickled."""

    def __reduce__(self):
        return (Path.touch, (Path("/tmp/mvexplorer-was-tricked"),))


def claims(shape: tuple[int, ...]) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue() + bytes(64)


def other_session(saved: Path, **changes: object) -> bytes:
    with zipfile.ZipFile(saved) as old:
        return json.dumps({**json.loads(old.read("session.json")), **changes}).encode()


DAMAGES = {
    "climbs": (lambda z: z.writestr("../../x.npy", b"1"), "its member “../../x.npy” has a name that leads out of it"),
    "absolute": (lambda z: z.writestr("/etc/x", b"1"), "“/etc/x” has a name that leads out"),
    "drive": (lambda z: z.writestr("C:\\x", b"1"), "has a name that leads out"),
    "backslashes": (lambda z: z.writestr("a\\..\\..\\x", b"1"), "has a name that leads out"),
    "twice": (lambda z: z.writestr("session.json", b"{}"), "it has 2 members “session.json”"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", DAMAGES)
def test_names_that_lead_out_or_come_twice(saved, tmp_path, name):
    add, words = DAMAGES[name]
    path = tmp_path / "bad.mvx"
    with rebuilt(saved, path) as made:
        add(made)
    refused(path, words)


def refused(path: Path, words: str) -> None:
    """Check the one sentence, by every way to open the file."""
    with pytest.raises(SessionError) as caught:
        open_session(path)
    assert words in caught.value.message
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    if "session" not in words.replace("session.json", "") and "format" not in words:
        with pytest.raises(DataError):
            mvx.load(path)


def test_a_link_is_not_followed(saved, tmp_path):
    path = tmp_path / "bad.mvx"
    with rebuilt(saved, path) as made:
        info = zipfile.ZipInfo("more.npy")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(info, "/etc/passwd")
    refused(path, "its member “more.npy” is a link")


def test_an_encrypted_member(saved, tmp_path):
    path = Path(shutil.copy(saved, tmp_path / "bad.mvx"))
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02")
    content[at + 8] |= 0x1
    path.write_bytes(content)
    refused(path, "is encrypted")


def test_more_than_the_limit_when_unfolded(saved, tmp_path, monkeypatch):
    path = tmp_path / "bad.mvx"
    with rebuilt(saved, path) as made:
        made.writestr("bomb.npy", bytes(30_000_000))
    assert path.stat().st_size < 100_000
    monkeypatch.setenv(READ_LIMIT, "0.01")
    refused(path, "Reading “bad.mvx” would take 0.03 GB, where 0.01 GB are the most")


def test_sizes_that_are_a_lie(saved, tmp_path):
    """A member that unfolds to more than its directory says is read no further than that, and found out."""
    path = tmp_path / "bad.mvx"
    with rebuilt(saved, path, leave_out="data.json") as made:
        made.writestr("data.json", b" " * 5_000_000)
    content = path.read_bytes()
    at = content.rindex(b"PK\x01\x02", 0, content.rindex(b"data.json"))
    lie = content[: at + 24] + (1000).to_bytes(4, "little") + content[at + 28 :]
    path.write_bytes(lie)
    refused(path, "“data.json” cannot be unfolded to what was put into it")


def test_a_file_that_breaks_off_or_is_none(saved, tmp_path):
    path = tmp_path / "bad.mvx"
    for content in (saved.read_bytes()[:-500], b"", b"{}", b"PK"):
        path.write_bytes(content)
        refused(path, "“bad.mvx” breaks off, or is no session with data")


def test_a_wrong_checksum(saved, tmp_path):
    path = tmp_path / "bad.mvx"
    made = zipfile.ZipFile(path, "w", zipfile.ZIP_STORED)
    with zipfile.ZipFile(saved) as old, made:
        for info in old.infolist():
            made.writestr(info.filename, old.read(info.filename))
    content = bytearray(path.read_bytes())
    numbers = everything().Xs[0].tobytes()
    content[content.index(numbers) + 7] ^= 1
    path.write_bytes(content)
    refused(path, "cannot be unfolded to what was put into it")


@pytest.mark.parametrize("member", ["session.json", "data.json", "data/000-view.npy"])
def test_a_member_that_is_missing(saved, tmp_path, member):
    path = tmp_path / "bad.mvx"
    rebuilt(saved, path, leave_out=member).close()
    if member == "session.json":
        with pytest.raises(SessionError, match=r"it lacks “session\.json”"):
            open_session(path)
    else:
        refused(path, f"it lacks “{member}”")


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (npy(np.array([Trap()] * M, dtype=object)), "holds Python objects, which are never opened"),
        (claims((10**9, 10**6)), "does not hold the numbers that its head tells of"),
        (claims((M, 2)), "does not hold the numbers that its head tells of"),
        (npy(np.zeros((M, 3), dtype="U2")), "does not hold the numbers that its head tells of"),
        (npy(np.zeros((M - 1, 3))), "its parts do not fit each other (The views have different numbers of rows"),
        (npy(np.full((M, 3), np.nan)), "its parts do not fit each other"),
        (b"hello", "“data/000-view.npy” cannot be unfolded"),
    ],
)
def test_arrays_that_are_none(saved, tmp_path, array, words):
    path = tmp_path / "bad.mvx"
    rebuilt(saved, path, change={"data/000-view.npy": array}).close()
    refused(path, words)
    assert not Path("/tmp/mvexplorer-was-tricked").exists()


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b'{"arrays": [], "preprocess": []}', b'{"arrays": [{"what": "code", "name": "", "member": "x"}]}'],
)
def test_contents_that_cannot_be_understood(saved, tmp_path, content):
    path = tmp_path / "bad.mvx"
    rebuilt(saved, path, change={"data.json": content}).close()
    refused(path, "“bad.mvx” is damaged")


def test_pictures_that_are_none(saved, tmp_path):
    path = tmp_path / "bad.mvx"
    rebuilt(saved, path, change={"pictures/000-coordinates.npy": npy(np.zeros((M - 1, 2)))}).close()
    with pytest.raises(SessionError, match=r"“pictures/000-coordinates\.npy” is no picture of its 15 samples"):
        open_session(path)
    rebuilt(saved, path, leave_out="pictures.json").close()
    assert open_session(path).pictures == {}


@pytest.mark.parametrize("change", [{"views": ["sound", "smell"]}, {"epsilon": []}, {"view_coordinates": ["x"] * 3}])
def test_pictures_of_other_views(saved, tmp_path, change):
    path = tmp_path / "bad.mvx"
    with zipfile.ZipFile(saved) as old:
        pictures = json.loads(old.read("pictures.json"))
    pictures["p6"] |= change
    rebuilt(saved, path, change={"pictures.json": json.dumps(pictures).encode()}).close()
    with pytest.raises(SessionError, match="what it says of its pictures does not fit its data"):
        open_session(path)


def test_a_newer_format_inside(saved, tmp_path):
    path = tmp_path / "new.mvx"
    rebuilt(saved, path, change={"session.json": other_session(saved, format=2)}).close()
    with pytest.raises(SessionError, match=r"new\.mvx has format 2, this program reads format 1\. Update mvexplorer"):
        open_session(path)


def of_contents(saved: Path, change) -> bytes:
    with zipfile.ZipFile(saved) as old:
        content = json.loads(old.read("data.json"))
    change(content["arrays"])
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    ("what", "name", "words"),
    [("ids", "other", "it holds “ids” twice"), ("view", "sound", "it holds “view” twice"),
     ("column", "more", "it uses “data/000-view.npy” twice")],
)  # fmt: skip
def test_parts_that_come_twice(saved, tmp_path, what, name, words):
    path = tmp_path / "bad.mvx"
    extra = {"what": what, "name": name, "member": "data/000-view.npy"}
    rebuilt(saved, path, change={"data.json": of_contents(saved, lambda arrays: arrays.append(extra))}).close()
    refused(path, words)


@pytest.mark.parametrize(
    ("member", "content", "words"),
    [("data/000-view.npy", npy(np.ones((M, 3), complex)), "“data/000-view.npy” is no array of numbers"),
     ("data/000-view.npy", npy(np.zeros((M, 3), "M8[s]")), "“data/000-view.npy” is no array of numbers"),
     ("data/007-ids.json", json.dumps({"mixed": True, "values": list(range(M))}).encode(), "is no array of text")],
)  # fmt: skip
def test_parts_of_another_kind(saved, tmp_path, member, content, words):
    path = tmp_path / "bad.mvx"
    rebuilt(saved, path, change={member: content}).close()
    refused(path, words)


def test_a_picture_wider_than_any_is_not_unfolded(saved, tmp_path):
    path = tmp_path / "bad.mvx"
    wide = npy(np.zeros((M, 200_000)))
    rebuilt(saved, path, change={"pictures/000-coordinates.npy": wide}).close()
    tracemalloc.start()
    with pytest.raises(SessionError, match=r"coordinates\.npy” holds 3,000,000 numbers, where \d+ are the most"):
        open_session(path)
    assert tracemalloc.get_traced_memory()[1] < wide.__sizeof__() / 2
    tracemalloc.stop()


def test_an_array_is_in_memory_once(tmp_path):
    with write_container(tmp_path / "a.zip", 1, lambda fraction: None) as file:
        file.add("x", np.arange(2_000_000.0))
    tracemalloc.start()
    with read_container(tmp_path / "a.zip") as file:
        values = file.array("x.npy")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert values[-1] == 1_999_999
    assert peak < 1.5 * values.nbytes
