"""What decoders in C do to their process stays there: the answer is a value, or a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import decoders
import numpy as np
import pytest
from scipy.io import savemat

from mvexplorer.children import _resident_by_ps, resident
from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.task import Cancelled
from mvexplorer.errors import DataError, MissingValuesError, RowsError
from mvexplorer.io.base import decoder, mapping
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.decoder import in_child
from mvexplorer.io.base.guards import READ_LIMIT

DAMAGED = (
    "WID2 1970/01/01 00:00:00.000                CM6      300   40.000000   1.00e+00   1.000         -1.0 -1.0\n"
    f"STA2{' ' * 56}\nDAT2\n{'z' * 300}\nCHK2 0\n\n"
)
"""A recording that ends the process of the decoder that reads it."""


@pytest.fixture(autouse=True)
def tests_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process of these tests finds `decoders`, and ends with them."""
    decoder.close()
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    yield
    decoder.close()


@pytest.fixture
def room(tmp_path: Path) -> Room:
    (tmp_path / "a.bin").write_bytes(b"content")
    return Room(tmp_path / "a.bin")


def same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        [same(one[name], other[name]) for name in one]
    elif hasattr(one, "tocsc"):
        same(one.toarray(), other.toarray())
    elif isinstance(one, np.ndarray):
        assert one.shape == other.shape
        assert one.dtype.names == other.dtype.names
        for name in one.dtype.names or ():
            same(one[name], other[name])
        if one.dtype.kind == "O":
            [same(a, b) for a, b in zip(one.ravel(), other.ravel(), strict=True)]
        elif not one.dtype.names:
            assert one.dtype == other.dtype
            assert one.flags.f_contiguous == other.flags.f_contiguous
            np.testing.assert_array_equal(one, other)
    else:
        assert one == other


def test_every_kind_of_value_comes_back_as_it_was(room: Room) -> None:
    here, there = decoders.values(), in_child(decoders.echo, room)
    here["rows"] = np.asfortranarray(here["rows"])  # what does not stand together is put together
    same({name: here[name] for name in here if name != "rows"}, {n: there[n] for n in there if n != "rows"})
    np.testing.assert_array_equal(here["rows"], there["rows"])
    assert there["large"] is there["again"]
    assert not is_map(there["large"])
    assert there["large"].flags.writeable


@pytest.mark.parametrize("large", [False, True])
def test_numbers_that_stand_in_a_file_are_taken_from_there(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    """A large table stays in its file; what is smaller is read from it, since the decoder has nothing to do."""
    monkeypatch.setattr(mapping, "MAP_FROM", 0 if large else 1 << 28)
    table = np.random.default_rng(0).normal(size=(600, 400))
    np.save(tmp_path / "large.npy", table)
    there = in_child(decoders.mapped, room, str(tmp_path / "large.npy"))
    assert is_map(there) == large
    np.testing.assert_array_equal(there, table.T)


@pytest.mark.parametrize("reader", [decoders.crash, decoders.leave])
def test_a_crash_is_a_sentence_and_the_next_file_is_read(room: Room, reader: Any) -> None:
    before = in_child(decoders.who, room)
    with pytest.raises(DataError, match=r"“a.bin” cannot be read: its decoder crashed\. The file is damaged"):
        in_child(reader, room)
    assert in_child(decoders.who, room) != before


def test_one_process_is_started_and_kept(room: Room) -> None:
    assert len({in_child(decoders.who, room) for _ in range(5)} | {in_child(decoders.who, room)}) == 1
    with pytest.raises(DataError, match="No"):
        in_child(decoders.refuse, room, "data")
    first = in_child(decoders.who, room)
    assert first != os.getpid()
    assert in_child(decoders.who, room) == first


def test_one_that_was_killed_while_it_waited_is_replaced(room: Room) -> None:
    first = in_child(decoders.who, room)
    os.kill(first, 9)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert in_child(decoders.who, room) != first


def test_errors_come_back_as_they_are(room: Room) -> None:
    with pytest.raises(DataError) as plain:
        in_child(decoders.refuse, room, "data")
    assert (type(plain.value), plain.value.message, plain.value.hint) == (DataError, "No.", "Yes.")
    with pytest.raises(RowsError) as rows:
        in_child(decoders.refuse, room, "rows")
    assert rows.value.hint == "By name (join=\"id\", roles={'a': 'id'})."
    assert rows.value.in_shell == "Which? By name (--join id --role a=id)."
    with pytest.raises(MissingValuesError) as missing:
        in_child(decoders.refuse, room, "missing")
    assert missing.value.rows == (1, 5)
    with pytest.raises(RuntimeError, match="a fault of the program"):
        in_child(decoders.refuse, room, "fault")


def test_rows_that_are_decoded_on_the_way_arrive_as_one_table(room: Room) -> None:
    there = in_child(decoders.in_blocks, room, "")
    assert there["large"].dtype == np.int16
    np.testing.assert_array_equal(there["large"], np.repeat(np.arange(5), 2)[:, None] + np.zeros((1, 3)))
    np.testing.assert_array_equal(there["small"], np.arange(4.0))


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("data", DataError, "^No"),
        ("memory", DataError, "its decoder takes more than"),
        ("crash", DataError, "its decoder crashed"),
        ("fault", RuntimeError, "ZeroDivisionError"),
    ],
)
def test_what_goes_wrong_amid_rows_is_told_as_anywhere(
    room: Room, fault: str, kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        in_child(decoders.in_blocks, room, fault)
    assert len(in_child(decoders.in_blocks, room, "")) == 2


def test_what_a_library_prints_does_not_get_into_the_answer(room: Room, capfd: pytest.CaptureFixture[str]) -> None:
    assert in_child(decoders.shout, room) == "said"
    assert capfd.readouterr() == ("", "")


def test_a_conversion_is_reported_and_what_was_taken_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"content")
    parts: list[float] = []
    said: list[str] = []
    room = Room(tmp_path / "a.bin", tick=parts.append, tell=said.append)
    assert in_child(decoders.report, room) == 1.0
    assert said == ["it takes long"]
    assert parts == sorted(parts)
    assert 0.3 < parts[-1] < 1.0
    assert room.used == (1000, 0)


def test_a_decoder_that_never_ends_is_ended_by_the_time_of_the_processor(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoder, "_LEAST_SECONDS", 1)
    monkeypatch.setattr(decoder, "_SILENCE", 600)  # a loaded machine gives it that second late
    with pytest.raises(DataError, match=r"“a.bin” cannot be read: its decoder took more than 1 s"):
        in_child(decoders.spin, room)


def test_a_decoder_that_falls_asleep_is_ended(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "_LEAST_SECONDS", 1)
    monkeypatch.setattr(decoder, "_SILENCE", 2)
    with pytest.raises(DataError, match=r"“a.bin” cannot be read: its decoder has said nothing for 2 s"):
        in_child(decoders.sleep, room, str(tmp_path / "mark"))


@pytest.mark.parametrize("limited", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_a_decoder_that_takes_too_much_memory_is_refused(
    room: Room, monkeypatch: pytest.MonkeyPatch, limited: bool
) -> None:
    """By the system; where that knows no limit, the process is measured and killed."""
    monkeypatch.setenv(READ_LIMIT, "0.01")
    monkeypatch.setattr(decoder, "_IS_LIMITED", limited and decoder._IS_LIMITED)
    with pytest.raises(DataError, match=r"“a.bin” cannot be read: its decoder takes more than 285 MB of memory"):
        in_child(decoders.hold_on, room)
    monkeypatch.setenv(READ_LIMIT, "4")
    assert in_child(decoders.hold, room, 0.5) == 32


def test_the_memory_of_a_process_is_measured() -> None:
    array = np.ones(1 << 25)
    for measure in (resident, _resident_by_ps):
        assert array.nbytes < measure(os.getpid()) < 1 << 40
        assert measure(2**22 - 1) == 0


def test_cancelling_kills_a_decoder_at_once(room: Room, tmp_path: Path) -> None:
    mark, wanted = tmp_path / "mark", threading.Event()
    number = in_child(decoders.who, room)

    def tick(part: float) -> None:
        if wanted.is_set():
            raise Cancelled

    room.tick = tick
    ended: list[type[BaseException]] = []

    def read() -> None:
        try:
            in_child(decoders.sleep, room, str(mark))
        except BaseException as problem:
            ended.append(type(problem))

    thread = threading.Thread(target=read)
    thread.start()
    while not mark.exists():
        time.sleep(0.001)
    wanted.set()
    thread.join()  # the decoder sleeps for ten minutes
    assert ended == [Cancelled]
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_a_conversion_that_crashes_leaves_nothing(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MVEXPLORER_HOME", str(tmp_path / "home"))
    with pytest.raises(DataError, match="its decoder crashed"):
        in_child(decoders.crash_in_conversion, room)
    assert list((tmp_path / "home" / "converted").iterdir()) == []


@pytest.mark.nightly
def test_eight_threads_at_once(tmp_path: Path) -> None:
    sums: dict[int, float] = {}

    def read(number: int) -> None:
        (tmp_path / f"{number}.bin").write_bytes(b"x")
        for _ in range(3):
            sums[number] = float(in_child(decoders.echo, Room(tmp_path / f"{number}.bin"))["large"].sum())

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sums == dict.fromkeys(range(8), float(decoders.values()["large"].sum()))


SCRIPT = """
import sys
from threading import Thread
import mvexplorer as mvx

print("script")  # it must be read once
said = []

def read(path):
    try:
        mvx.read_waveforms([path])
    except mvx.errors.DataError as error:
        said.append(error.message)

threads = [Thread(target=read, args=(path,)) for path in sys.argv[1:]]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(*sorted(said), sep="\\n")
"""


@pytest.mark.nightly
def test_a_damaged_recording_is_refused_in_a_script_without_a_guard_by_eight_threads(tmp_path: Path) -> None:
    """The decoder of ObsPy reads beyond the end of this file and ends its process."""
    pytest.importorskip("obspy")
    for i in range(8):
        (tmp_path / f"l{i}.mseed").write_text(DAMAGED, "ascii")
    (tmp_path / "script.py").write_text(SCRIPT, "utf-8")
    done = subprocess.run(
        [sys.executable, "script.py", *(f"l{i}.mseed" for i in range(8))], cwd=tmp_path, capture_output=True, text=True
    )
    expected = [f"“l{i}.mseed” cannot be read: its decoder crashed." for i in range(8)]
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, ["script", *expected], "")


LIBRARIES = """
import sys
import mvexplorer as mvx

for path in sys.argv[1:4]:
    mvx.load(path)
mvx.read_waveforms(sys.argv[4:])
print(*{"h5py", "anndata", "obspy", "scipy.io.matlab"} & set(sys.modules))
"""


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")  # of the libraries, about themselves
def test_this_process_does_not_even_import_the_libraries(tmp_path: Path) -> None:
    """Files of all these kinds are opened, as a list and as they are."""
    h5py, anndata, obspy = (pytest.importorskip(name) for name in ("h5py", "anndata", "obspy"))
    table = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["X"] = table
    savemat(tmp_path / "a.mat", {"X": table})
    anndata.AnnData(table, obsm={"X_pca": table}).write_h5ad(tmp_path / "a.h5ad")
    stream = obspy.Stream([obspy.Trace(table[0].copy(), {"channel": name}) for name in ("EHE", "EHZ")])
    names = ["a.h5", "a.mat", "a.h5ad", *(f"{i}.mseed" for i in range(3))]
    for name in names[3:]:
        stream.write(str(tmp_path / name), format="MSEED")
    done = subprocess.run([sys.executable, "-c", LIBRARIES, *names], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stderr, done.stdout.strip(), done.returncode) == ("", "", 0)


@pytest.mark.timing
def test_cancelling_takes_a_tenth_of_a_second(room: Room, tmp_path: Path) -> None:
    mark, wanted = tmp_path / "mark", threading.Event()

    def tick(part: float) -> None:
        if wanted.is_set():
            raise Cancelled

    room.tick = tick
    took: list[float] = []
    for reader, arguments in ((decoders.sleep, [str(mark)]), (decoders.spin_after, [str(mark)])):
        ended = threading.Event()

        def read(reader: Any = reader, arguments: list[str] = arguments, ended: threading.Event = ended) -> None:
            with pytest.raises(Cancelled):
                in_child(reader, room, *arguments)
            ended.set()

        wanted.clear()
        threading.Thread(target=read).start()
        while not mark.exists():
            time.sleep(0.001)
        wanted.set()
        start = time.perf_counter()
        assert ended.wait(60.0)
        took.append(time.perf_counter() - start)
        mark.unlink()
    assert max(took) <= 0.1
