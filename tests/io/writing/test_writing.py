"""Files are replaced whole or not at all, in one place, and every refusal of the system has its sentence."""

from __future__ import annotations

import ast
import errno
import os
import stat
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import mvexplorer
from mvexplorer.engine.api.export import write_embedding
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.io.writing.versions import file_version, try_lock, write_bytes
from mvexplorer.wording import in_words, one_line, readable
from mvexplorer.writing import check_writable, replacing

PACKAGE = Path(mvexplorer.__file__).parent
LONG = "n" * 246 + ".csv"
posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of POSIX")


def export(path: Path) -> Path:
    return write_embedding(path, np.eye(4), column_names=list("abcd"), sample_ids=list("wxyz"))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.csv"
    path.write_bytes(b"before")
    return path


def untouched(path: Path) -> bool:
    return path.read_bytes() == b"before" and [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_file_is_replaced_by_the_whole_new_one(old: Path) -> None:
    with replacing(old) as file:
        file.write(b"after")
        assert old.read_bytes() == b"before"
    assert old.read_bytes() == b"after"
    assert [p.name for p in old.parent.iterdir()] == [old.name]


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_whatever_breaks_off_leaves_the_old_file(old: Path, kind: type[BaseException]) -> None:
    def break_off() -> None:
        with replacing(old) as file:
            file.write(b"half of it")
            raise kind

    with pytest.raises(kind):
        break_off()
    assert untouched(old)


@pytest.mark.parametrize("step", ["fsync", "replace", "open"])
@pytest.mark.parametrize(("code", "words"), [(errno.ENOSPC, "the disk is full"), (errno.EIO, "input/output error"),
                                             (errno.EDQUOT, "your share of the disk is used up")])  # fmt: skip
def test_a_refusal_at_any_step(old: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int, words: str) -> None:
    def refuse(*arguments: object, **_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, step, refuse)
    with pytest.raises(DataError, match=f"^{old} cannot be written: {words}\\. [A-Z].*\\.$"):
        export(old)
    monkeypatch.undo()
    assert untouched(old)


@pytest.mark.parametrize("name", [LONG, "ü" * 120 + ".csv", "a\nb.csv", "say \"x\" 'y'.csv", ".csv.csv", "-.csv"])
def test_any_name(tmp_path: Path, name: str) -> None:
    assert export(tmp_path / name).read_text().startswith("id,a,b,c,d")
    assert os.listdir(tmp_path) == [name]


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be written: the name is too long\. Choose a shorter file name\."):
        export(tmp_path / ("x" * 300 + ".csv"))
    assert os.listdir(tmp_path) == []


def test_what_is_no_file_name_at_all() -> None:
    with pytest.raises(DataError, match="cannot be written: invalid argument"):
        export(Path("a\0.csv"))


@posix
def test_no_link_is_followed(old: Path) -> None:
    link = old.with_name("link.csv")
    link.symlink_to(old)
    for scratch in (".link.csv.partial", "link.csv.part", "link.csv.tmp"):
        old.with_name(scratch).symlink_to(old)
    export(link)
    assert old.read_bytes() == b"before"
    assert not link.is_symlink()
    assert link.read_text().startswith("id,")


KILLED = """
import os, signal
from mvexplorer.writing import replacing
with replacing("t.csv") as file:
    file.write(b"half of it")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
OLD, YOUNG = 3700, 3500
"""Seconds; an hour lies between."""


def aged(path: Path, seconds: float = OLD) -> Path:
    then = time.time() - seconds
    os.utime(path, (then, then), **({} if sys.platform == "win32" else {"follow_symlinks": False}))
    return path


def scratch_name(folder: Path, number: int) -> Path:
    return folder / f".mvx-{number:016x}"


@posix
def test_what_a_killed_process_left_goes_with_the_next_file(tmp_path: Path) -> None:
    for _ in range(3):
        subprocess.run(
            [sys.executable, "-c", KILLED], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
        )
    left = list(tmp_path.iterdir())
    assert len(left) == 3
    for path in left:
        aged(path, YOUNG)
    export(tmp_path / "a.csv")
    assert len(list(tmp_path.iterdir())) == 4
    for path in left:
        aged(path)
    export(tmp_path / "b.csv")
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "b.csv"]


@posix
def test_a_scratch_file_that_is_written_stays_however_old(tmp_path: Path) -> None:
    with replacing(tmp_path / "slow.csv") as file:
        aged(Path(file.name))
        export(tmp_path / "fast.csv")
        file.write(b"at last")
    assert (tmp_path / "slow.csv").read_bytes() == b"at last"
    assert sorted(os.listdir(tmp_path)) == ["fast.csv", "slow.csv"]


@posix
def test_nothing_but_scratch_files_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "elsewhere" / "of the user"
    other.parent.mkdir()
    other.write_bytes(b"mine")
    folder = tmp_path / "written to"
    folder.mkdir()
    for name in (
        ".mvx-notes",
        ".mvx-0123",
        ".mvx-0123456789ABCDEF",
        ".mvx-0123456789abcdef.csv",
        "mvx-0123456789abcdef",
    ):
        (folder / name).write_bytes(b"mine")
    scratch_name(folder, 1).symlink_to(other)
    scratch_name(folder, 2).mkdir()
    (scratch_name(folder, 2) / "inside").write_bytes(b"mine")
    os.mkfifo(scratch_name(folder, 3))
    for path in folder.iterdir():
        aged(path)
    before = set(folder.iterdir())
    export(folder / "new.csv")
    assert set(folder.iterdir()) == before | {folder / "new.csv"}
    assert other.read_bytes() == b"mine"

    theirs = aged(export(folder / "theirs.csv").rename(scratch_name(folder, 4)))
    monkeypatch.setattr(os, "getuid", lambda: theirs.stat().st_uid + 1)  # as another user of a shared folder
    export(folder / "new.csv")
    assert theirs.exists()


@posix
def test_permissions(old: Path) -> None:
    old.chmod(0o640)
    export(old)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        assert stat.S_IMODE(export(old.with_name("new.csv")).stat().st_mode) == 0o640
    finally:
        os.umask(before)


@posix
def test_only_files_are_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "folder.csv")
    for name, why in (("pipe.csv", "it is a device or a pipe"), ("folder.csv", "is a directory"),
                      ("link.csv", "is a directory")):  # fmt: skip
        with pytest.raises(DataError, match=f"cannot be written: {why}"):
            export(tmp_path / name)
    assert len(os.listdir(tmp_path)) == 3


LIMITED = """
import sys; sys.dont_write_bytecode = True  # or the limit cuts it off
import resource, sys
from pathlib import Path
import numpy as np
from mvexplorer.errors import MVExplorerError
from mvexplorer.engine.api.export import write_embedding
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
for name in sys.argv[1:]:
    try:
        write_embedding(name, np.random.default_rng(0).normal(size=(500, 4)), column_names=list("abcd"),
                        sample_ids=[str(i) for i in range(500)])
    except MVExplorerError as error:
        print(error)
"""


@posix
def test_a_file_larger_than_there_is_room_for(tmp_path: Path) -> None:
    names = ["e.csv", "e.npz", "e.parquet"]
    for name in names:
        (tmp_path / name).write_bytes(b"before")
    done = subprocess.run([sys.executable, "-c", LIMITED, *names], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)}, check=True)  # fmt: skip
    said = done.stdout.splitlines()
    assert [line.split(": ")[0] for line in said] == [f"{name} cannot be written" for name in names]
    assert all("the file would be larger than the system allows." in line for line in said)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == dict.fromkeys(names, b"before")


PROTECTED = """
import os, sys
import numpy as np
from mvexplorer.errors import MVExplorerError
from mvexplorer.engine.api.export import write_embedding
def export(name):
    write_embedding(name, np.eye(2), column_names=["a", "b"], sample_ids=["1", "2"])
os.chdir(sys.argv[1])
export("open/good.csv")  # imports what nobody else's user may read
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)
for name in ("locked/new.csv", "locked/old.csv", "open/protected.csv", "open/new.csv"):
    try:
        export(name)
    except MVExplorerError as error:
        print(error)
"""


@posix
def test_folders_and_files_that_may_not_be_written() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for sub in ("locked", "open"):
            (folder / sub).mkdir()
        for sub in ("locked/old.csv", "open/protected.csv"):
            (folder / sub).write_bytes(b"before")
            (folder / sub).chmod(0o444)
        (folder / "locked").chmod(0o555)
        (folder / "open").chmod(0o777)
        done = subprocess.run([sys.executable, "-c", PROTECTED, name], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)})  # fmt: skip
        hint = "Choose a folder and a file that you may write to."
        assert done.stdout.splitlines() == [
            f"{path} cannot be written: permission denied. {hint}"
            for path in ("locked/new.csv", "locked/old.csv", "open/protected.csv")
        ]
        assert sorted(p.name for p in folder.glob("*/*")) == ["good.csv", "new.csv", "old.csv", "protected.csv"]
        assert (folder / "locked/old.csv").read_bytes() == (folder / "open/protected.csv").read_bytes() == b"before"
        (folder / "locked").chmod(0o755)


def test_a_refusal_is_known_before_the_work(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.csv")
    with pytest.raises(IsADirectoryError):
        check_writable(tmp_path)
    with pytest.raises(FileNotFoundError):
        check_writable(tmp_path / "none" / "new.csv")


def test_versions_are_those_of_the_content(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert file_version(path) is None
    written = write_bytes(path, b"one")
    assert file_version(path) == written
    assert file_version(path, written) is written
    os.utime(path, (1, 1))
    assert file_version(path, written) == written
    path.write_bytes(b"two")
    assert file_version(path, written) != written
    assert write_bytes(path, b"one") == written
    assert file_version(tmp_path) is None


def test_a_lock_has_one_owner(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = try_lock(path)
    assert lock is not None
    assert try_lock(path) is None
    with ThreadPoolExecutor(1) as pool:  # whichever thread of the window lets go of it
        assert pool.submit(try_lock, path).result() is None
        pool.submit(lock.release).result()
    again = try_lock(path)
    assert again is not None
    again.release()


def test_a_lock_file_that_lies_there_locks_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("1\nhost\n")  # as of a process that was killed
    assert try_lock(path) is not None


@posix
@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_where_a_file_system_knows_no_locks_nobody_is_taken_for_their_owner(tmp_path: Path, monkeypatch, code) -> None:
    import fcntl

    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", refuse)
    for _ in range(2):
        with pytest.raises(OSError) as refusal:
            try_lock(tmp_path / "lock")
        assert refusal.value.errno == code


# Words ------------------------------------------------------------------------------------------------------------


def test_names_as_text() -> None:
    name = os.fsdecode(b"\xff\xfe-data.csv") if sys.platform != "win32" else "\udcff\udcfe-data.csv"
    assert readable(name) == "\\xff\\xfe-data.csv"
    assert readable("Größe ε.csv") == "Größe ε.csv"
    assert readable("\ud800").encode() == b"\\ud800"
    assert one_line("a\r\nb\x1b[31m\u2028c") == "a b [31m c"
    assert str(DataError("“a\nb\udcff”.", "Look\nup.")) == "“a b\\xff”. Look up."


def test_a_refusal_is_one_sentence_and_a_hint() -> None:
    with pytest.raises(MVExplorerError) as caught, in_words(DataError, "X cannot be written"):
        raise OSError(errno.EACCES, "Permission denied", "/somewhere")
    assert caught.value.message == "X cannot be written: permission denied."
    assert caught.value.hint == "Choose a folder and a file that you may write to."
    with pytest.raises(DataError, match=r"^X: gone\.$"), in_words(DataError, "X", ""):
        raise OSError("gone")


# One place --------------------------------------------------------------------------------------------------------

WRITERS = {
    "write_text", "write_bytes", "tofile", "savez", "savez_compressed", "savetxt", "to_csv", "write_csv", "to_parquet",
    "write_parquet", "sink_csv", "sink_parquet", "savemat", "mkstemp", "NamedTemporaryFile", "TemporaryFile", "rename",
    "QFile", "QSaveFile", "QPdfWriter", "setFileName", "ImageExporter", "SVGExporter", "copyfile", "copy2",
}  # fmt: skip
ELSEWHERE = {
    ("cli/computing.py", "save"): "an embedding's, by engine/api/export.py",
    ("cli/output.py", "open"): "the place where output goes that nobody reads",
    ("failures.py", "open"): "the record of a crash, which is written while the program falls",
    ("io/writing/container.py", "open"): "a member of the archive that `writing` gave",
    ("io/base/decoding.py", "open"): "the null device",
    ("io/base/decoding.py", "fdopen"): "the pipe to who asked for a file to be decoded",
    ("io/tables/grid.py", "rename"): "a column of a table in memory",
    ("engine/api/export.py", "open"): "a member of the archive in the file that `writing` gave",
    ("engine/api/export.py", "write_csv"): "into memory",
    ("engine/api/export.py", "write_parquet"): "into memory",
    ("cli/sweeping.py", "write_parquet"): "into memory",
    ("scratch.py", "TemporaryFile"): "a part of a map, which has no name and goes with it",
    ("state/session/session.py", "write_bytes"): "the function of io/writing/versions.py",
    ("state/session/kept_picture.py", "write_bytes"): "the function of io/writing/versions.py",
    ("state/session/session.py", "save"): "the job that writes it",
    ("state/bench/library.py", "save"): "the job that writes it",
    ("ui/export/web_images.py", "save"): "a picture into memory",
    ("ui/export/plain/ink.py", "save"): "a picture into memory",
    ("ui/export/frames.py", "save"): "into the file that `writing` gave",
    ("ui/remote_start.py", "open"): "the null device",
    ("state/samples/table.py", "write_csv"): "into memory",
    ("ui/remote.py", "fdopen"): "the pipe to who started the window",
    ("ui/remote_start.py", "fdopen"): "the pipe to who started the window",
    ("state/session/settings.py", "write_bytes"): "the function of io/writing/versions.py",
    ("ui/cloud/encoding.py", "save"): "a picture into memory",
    ("ui/cloud/encoding.py", "open"): "a buffer in memory",
    ("ui/cloud/encoding.py", "QPdfWriter"): "into a buffer in memory",
}


def writes(call: ast.Call) -> str:
    """The name of a function that writes files, or nothing."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    arguments = [*call.args, *(k.value for k in call.keywords)]
    if name == "save":
        return name if arguments else ""  # without arguments it is a painter's
    if name == "replace":
        return name if getattr(getattr(call.func, "value", None), "id", "") == "os" else ""
    if name in ("open", "fdopen"):
        texts = [a.value for a in arguments if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        flags = {n.attr for a in arguments for n in ast.walk(a) if isinstance(n, ast.Attribute)}
        modes = any(set(t) <= set("rwabxt+") and set(t) & set("wax+") for t in texts)
        return name if modes or flags & {"O_WRONLY", "O_RDWR", "O_CREAT", "WriteOnly", "ReadWrite"} else ""
    return name if name in WRITERS else ""


def test_nothing_else_writes_files() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and (name := writes(node))
    }
    assert {(f, n) for f, n in found if f not in ("writing.py", "io/writing/versions.py")} == set(ELSEWHERE)


@pytest.mark.parametrize("code", [
    "open(p, 'w')", "p.open('ab')", "open(p, mode='x')", "p.write_text('a')", "image.save(p)", "np.savez(p, a=a)",
    "frame.write_csv(p)", "os.replace(a, b)", "os.open(p, os.O_WRONLY)", "os.fdopen(d, 'wb')",
])  # fmt: skip
def test_the_search_finds_them(code: str) -> None:
    assert writes(ast.parse(code, mode="eval").body)  # type: ignore[arg-type]


@pytest.mark.parametrize("code", ["open(p)", "p.open('rb')", "painter.save()", "text.replace('a', 'b')", "w.open()"])
def test_the_search_finds_nothing_else(code: str) -> None:
    assert not writes(ast.parse(code, mode="eval").body)  # type: ignore[arg-type]
