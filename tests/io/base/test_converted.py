"""Tables larger than the memory limit are written once to the cache folder, and mapped: in every format."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from mvexplorer import scratch
from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import READ_LIMIT
from mvexplorer.io.reading.files import Loaded, read_files
from mvexplorer.io.reading.inspection import inspect_files

M, D = 3000, 60
X = np.random.default_rng(0).normal(size=(M, D)).round(6)
KIND = np.array(["a", "b", "c"])[np.arange(M) % 3]
NAMES = np.array([f"s{i}" for i in range(M)])
LIMIT = 1_000_000


@pytest.fixture(autouse=True)
def little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit below the size of the table, and a cache of the test's own."""
    monkeypatch.setenv(READ_LIMIT, str(LIMIT / 1e9))
    monkeypatch.setenv("MVEXPLORER_HOME", str(tmp_path / "cache"))


def frame() -> pl.DataFrame:
    return pl.DataFrame({"id": NAMES, "kind": KIND}).with_columns(
        [pl.Series(f"c{j}", X[:, j]) for j in range(D)]
    ).select("id", *[f"c{j}" for j in range(30)], "kind", *[f"c{j}" for j in range(30, D)])  # fmt: skip


def csv(path: Path) -> Path:
    frame().write_csv(path.with_suffix(".csv"))
    return path.with_suffix(".csv")


def parquet(path: Path) -> Path:
    frame().write_parquet(path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def arrow(path: Path) -> Path:
    frame().write_ipc(path.with_suffix(".arrow"), compression="lz4")
    return path.with_suffix(".arrow")


def npy(path: Path) -> Path:
    np.save(path.with_suffix(".npy"), X.astype(">f8"))
    return path.with_suffix(".npy")


def npz(path: Path) -> Path:
    np.savez_compressed(path.with_suffix(".npz"), X=np.asfortranarray(X), kind=KIND, ids=NAMES)
    return path.with_suffix(".npz")


def hdf(path: Path) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path.with_suffix(".h5"), "w") as file:
        file.create_dataset("X", data=X, chunks=(700, 17), compression="gzip")
    return path.with_suffix(".h5")


def mat73(path: Path) -> Path:
    h5py = pytest.importorskip("h5py")
    path = path.with_suffix(".mat")
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset("X", data=X.T, chunks=True, compression="gzip").attrs["MATLAB_class"] = np.bytes_("double")
        file.create_dataset("Y", data=np.arange(M)[None] % 3.0).attrs["MATLAB_class"] = np.bytes_("double")
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")
    return path


def mat5(path: Path) -> Path:
    scipy_io = pytest.importorskip("scipy.io")
    scipy_io.savemat(path.with_suffix(".mat"), {"X": X, "Y": np.arange(M) % 3.0}, do_compression=True)
    return path.with_suffix(".mat")


def plain_mat5(path: Path) -> Path:
    scipy_io = pytest.importorskip("scipy.io")
    scipy_io.savemat(path.with_suffix(".mat"), {"X": X, "Y": np.arange(M) % 3.0})
    return path.with_suffix(".mat")


def h5ad(path: Path) -> Path:
    anndata = pytest.importorskip("anndata")
    import pandas as pd

    made = anndata.AnnData(X, obs=pd.DataFrame({"kind": KIND}, index=NAMES))
    made.write_h5ad(path.with_suffix(".h5ad"), compression="gzip")
    return path.with_suffix(".h5ad")


WRITERS = [csv, parquet, arrow, npy, npz, hdf, mat73, mat5, plain_mat5, h5ad]


def test_a_large_modality_is_read_where_another_lacks_samples(tmp_path: Path) -> None:
    anndata, mudata = pytest.importorskip("anndata"), pytest.importorskip("mudata")
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rna = anndata.AnnData(X, obs=pd.DataFrame(index=NAMES))
        few = anndata.AnnData(X[5:, :2], obs=pd.DataFrame(index=NAMES[5:]))
        mudata.MuData({"rna": rna, "few": few}).write(tmp_path / "large.h5mu")
    data = read_files([tmp_path / "large.h5mu"]).data
    assert is_map(data.Xs[0])
    np.testing.assert_array_equal(data.Xs[0], X[5:])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "converted"


def contents(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in folder.iterdir()}


@pytest.mark.parametrize("write", WRITERS)
def test_a_table_beyond_the_limit_is_converted_once(tmp_path: Path, folder: Path, write: Any) -> None:
    path, said = write(tmp_path / "t"), []
    first = read_files([path], task=Task(say=said.append))
    assert is_map(first.data.Xs[0])
    np.testing.assert_array_equal(first.data.Xs[0], X)
    [sentence] = said
    assert f"“{path.name}” would take more than the 1 MB it may: its numbers, 1 MB, are written once" in sentence
    assert str(folder) in sentence
    assert sentence in map(str, first.notes)
    before = contents(folder)
    again = read_files([path], task=Task(say=said.append))
    assert (len(said), contents(folder)) == (1, before)
    assert again.data.fingerprint == first.data.fingerprint
    same_but_for_memory(path, first)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("write", [csv, parquet, arrow])
def test_a_large_table_may_have_a_name_that_is_no_text(tmp_path: Path, write: Any) -> None:
    path = write(tmp_path / "t")
    strange = path.rename(tmp_path / os.fsdecode(b"t\xe9[1]" + os.fsencode(path.suffix)))
    np.testing.assert_array_equal(read_files([strange]).data.Xs[0], X)


@pytest.mark.parametrize("write", [csv, parquet, arrow])
def test_a_table_whose_numbers_alone_fit_is_converted(tmp_path: Path, monkeypatch: Any, write: Any) -> None:
    """Reading holds a table several times, and what cannot be read so is not refused."""
    monkeypatch.setenv(READ_LIMIT, str(2 * X.nbytes / 1e9))
    path = write(tmp_path / "t")
    first = read_files([path])
    assert is_map(first.data.Xs[0])
    np.testing.assert_array_equal(first.data.Xs[0], X)
    same_but_for_memory(path, first)


def same_but_for_memory(path: Path, first: Loaded) -> None:
    """All beside the numbers is as it is when read into memory."""
    os.environ[READ_LIMIT] = "1"
    usual = read_files([path])
    assert not is_map(usual.data.Xs[0])
    assert usual.data.sample_ids == first.data.sample_ids
    assert usual.data.feature_names == first.data.feature_names
    assert usual.data.label_name == first.data.label_name
    assert (usual.data.labels is None) == (first.data.labels is None)
    if usual.data.labels is not None and first.data.labels is not None:
        assert usual.data.labels.tolist() == first.data.labels.tolist()
    assert {n: v.tolist() for n, v in usual.data.columns.items()} == {
        n: v.tolist() for n, v in first.data.columns.items()
    }
    assert set(map(str, usual.notes)) == set(map(str, first.notes[1:]))


def test_the_window_and_the_command_line_say_how_much_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(READ_LIMIT, "1")
    path = npz(tmp_path / "t")
    assert not is_map(read_files([path]).data.Xs[0])
    assert is_map(read_files([path], task=Task(memory=LIMIT)).data.Xs[0])
    assert inspect_files([path], task=Task(memory=LIMIT)).views[0].shape == (M, D)


@pytest.mark.parametrize("write", WRITERS)
def test_a_conversion_that_is_stopped_leaves_nothing(tmp_path: Path, folder: Path, write: Any) -> None:
    path, task = write(tmp_path / "t"), Task(say=lambda sentence: task.cancel())
    with pytest.raises(Cancelled):
        read_files([path], task=task)
    assert contents(folder) == {}


@pytest.mark.parametrize("write", [npz, mat5])
def test_a_conversion_of_a_damaged_file_leaves_nothing(tmp_path: Path, folder: Path, write: Any) -> None:
    path = write(tmp_path / "t")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(DataError, match="damaged"):
        read_files([path])
    assert contents(folder) == {}


def test_a_disk_without_space_is_a_sentence(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = npz(tmp_path / "t")
    usage = scratch.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(scratch.shutil, "disk_usage", lambda place: usage._replace(free=2**20))
    with pytest.raises(DataError) as caught:
        read_files([path])
    assert str(caught.value).startswith(
        f"“t.npz” needs 5 MB on the disk for its numbers, and 1 MB are free in {folder}."
    )
    assert contents(folder) == {}


def test_a_folder_that_cannot_be_written_to_is_a_sentence(tmp_path: Path, folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("no folder")
    with pytest.raises(DataError, match=r"The numbers of “t.npz” cannot be written to"):
        read_files([npz(tmp_path / "t")])


def test_a_trap_is_refused_as_before(tmp_path: Path, folder: Path) -> None:
    np.savez_compressed(tmp_path / "t.npz", X=np.zeros((M, D)))
    with pytest.raises(DataError, match=r"would take .* where 0.001 GB are the most"):
        read_files([tmp_path / "t.npz"])
    assert not folder.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there, and needs no lock")
def test_what_was_used_longest_ago_goes_unless_it_is_in_use(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [npz(tmp_path / f"t{i}") for i in range(4)]
    first = read_files([paths[0]]).data
    os.utime(next(folder.iterdir()), (1000, 1000))
    for age, path in enumerate(paths[1:3], 1):
        before = set(contents(folder))
        read_files([path])
        [new] = set(contents(folder)) - before
        os.utime(folder / new, (1000 + age, 1000 + age))
    before = set(contents(folder))
    left_behind = folder / ".mvx-0123456789abcdef"
    left_behind.write_bytes(b"x")
    os.utime(left_behind, (0, 0))
    monkeypatch.setattr(scratch, "KEPT", 3 * 8 * M * D + scratch.AHEAD + 1000)
    read_files([paths[3]])
    gone = before - set(contents(folder))
    assert len(gone) == 1
    assert not left_behind.exists()
    np.testing.assert_array_equal(first.Xs[0], X)
    said: list[str] = []
    read_files([paths[0]], task=Task(say=said.append))  # the oldest one, which is in use, stayed
    assert said == []
    read_files([paths[1]], task=Task(say=said.append))
    assert len(said) == 1


TWICE = """
import sys
import numpy as np
from mvexplorer.io.reading.files import read_files
data = read_files([sys.argv[1]]).data
assert isinstance(data.Xs[0], np.memmap)
print(data.fingerprint)
"""


@pytest.mark.nightly
def test_two_windows_that_convert_the_same_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = csv(tmp_path / "t")
    both = [subprocess.Popen([sys.executable, "-c", TWICE, str(path)], stdout=subprocess.PIPE) for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert said[0] == said[1] == f"{read_files([path]).data.fingerprint}\n".encode()
    [made] = (tmp_path / "cache").rglob("*.npy")
    assert list(made.parent.iterdir()) == [made]


def test_whole_numbers_of_few_bytes_and_single_precision_stay_small(tmp_path: Path, folder: Path) -> None:
    for kind in ("u1", "f4"):
        table = (100 * X).astype("i4").astype(kind)
        np.savez_compressed(tmp_path / f"{kind}.npz", X=table)
        read = read_files([tmp_path / f"{kind}.npz"]).data.Xs[0]
        assert (read.dtype, is_map(read)) == (np.float32, True)
        np.testing.assert_array_equal(read, table)
    assert all(path.stat().st_size < 4.1 * M * D for path in folder.iterdir())


def test_samples_that_lack_numbers_are_dropped_in_blocks(tmp_path: Path) -> None:
    holed = X.copy()
    holed[[5, 40], 3] = np.nan
    np.savez_compressed(tmp_path / "t.npz", X=holed)
    kept = read_files([tmp_path / "t.npz"], missing="drop").data
    assert is_map(kept.Xs[0])
    np.testing.assert_array_equal(kept.Xs[0], np.delete(X, [5, 40], axis=0))
    with pytest.raises(DataError, match=r"larger than the memory .* so its gaps cannot be filled in"):
        read_files([tmp_path / "t.npz"], missing="median")


def test_tables_are_joined_in_blocks(tmp_path: Path) -> None:
    order = np.random.default_rng(1).permutation(M)
    frame().write_csv(tmp_path / "a.csv")
    frame()[order].write_parquet(tmp_path / "b.parquet")
    data = read_files([tmp_path / "a.csv", tmp_path / "b.parquet"]).data
    for view in data.Xs:
        assert is_map(view)
        np.testing.assert_array_equal(view, X)


@pytest.mark.parametrize("write", [csv, parquet])
def test_text_and_gaps_of_a_converted_table_are_told_apart(tmp_path: Path, write: Any, monkeypatch: Any) -> None:
    cells = frame().with_columns(pl.col("c3").cast(pl.String), pl.col("c7").cast(pl.String).replace(str(X[9, 7]), "NA"))
    if write is csv:
        cells.with_columns(pl.Series("c3", [*cells["c3"][:99], "oops", *cells["c3"][100:]])).write_csv(
            tmp_path / "t.csv"
        )
        for _ in range(2):
            with pytest.raises(
                DataError, match=r"Column “c3” of “t.csv” holds text where numbers belong: “oops” on line"
            ):
                read_files([tmp_path / "t.csv"])
    gaps = frame().with_columns(pl.when(pl.int_range(M) == 9).then(None).otherwise(pl.col("c7")).alias("c7"))
    path = tmp_path / f"u.{write.__name__}"
    gaps.write_csv(path, null_value="NA") if write is csv else gaps.write_parquet(path)
    for _ in range(2):
        data = read_files([path], missing="drop").data
        np.testing.assert_array_equal(data.Xs[0], np.delete(X, 9, axis=0))


HELD = """
import sys
from pathlib import Path
import polars
from mvexplorer.engine.core.task import Task
from mvexplorer.io.reading.files import read_files

def held():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) * 1024

peak = [0]
polars.DataFrame({"a": [1.0]}).lazy().collect()
for package in sys.argv[2:]:
    __import__(package)
before = held()
data = read_files([sys.argv[1]], task=Task(lambda part: peak.append(held()))).data
data.fingerprint
print(max(*peak, held()) - before)
"""


def held_by_reading(path: Path, limit: int) -> int:
    """Bytes of the memory of its own that a process takes most while it reads a file."""
    packages = ["anndata", "anndata.io"] if path.suffix == ".h5ad" else []
    done = subprocess.run(
        [sys.executable, "-c", HELD, str(path), *packages],
        capture_output=True, text=True, check=True, env={**os.environ, READ_LIMIT: str(limit / 1e9)},
    )  # fmt: skip
    return int(done.stdout)


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_the_numbers_are_never_in_the_memory_at_once(tmp_path: Path) -> None:
    table = np.random.default_rng(0).integers(0, 9, size=(6000, 1000)).astype(float)
    np.savez_compressed(tmp_path / "t.npz", X=table)
    assert held_by_reading(tmp_path / "t.npz", 10_000_000) < table.nbytes / 3


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize("write", WRITERS)
def test_a_table_of_400_megabytes_takes_less_than_the_limit(
    tmp_path: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit, (m, d) = 100_000_000, (50_000, 1000)
    names = {"M": m, "D": d, "X": np.random.default_rng(0).normal(size=(m, d)).round(4)}
    more = {"KIND": np.array(["a", "b", "c"])[np.arange(m) % 3], "NAMES": np.array([f"s{i}" for i in range(m)])}
    for name, value in (names | more).items():
        monkeypatch.setattr(sys.modules[__name__], name, value)
    held = held_by_reading(write(tmp_path / "t"), limit)
    assert held < limit * (1.2 if write is h5ad else 1.0), f"{held:,}"


def test_the_command_line_tells_the_size_first_and_takes_the_limit(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mvexplorer", "embed", str(npz(tmp_path / "t")), "--method", "pca"]
    environment = {**os.environ, READ_LIMIT: "1"}
    told = subprocess.run(
        [*command, "--memory", "0.001", "--out", str(tmp_path / "y.csv")],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    assert told.stderr.startswith("mvexplorer: Reading “t.npz” would take more than the 1 MB it may: its"), told.stderr
    assert "it does not fit" in told.stderr  # computing holds no more
