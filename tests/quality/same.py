"""Whether the program still computes and writes the same, to the byte.

    .venv/bin/python tests/quality/same.py record DIR
    .venv/bin/python tests/quality/same.py check DIR [--tolerance 1e-12]

`record` runs the public commands over every sample, the sessions of former versions and a few files, and keeps all that
they write in DIR; `check` runs the checkout in which it stands again, and compares file by file. Coordinates,
eigenvalues and scores are equal bit for bit unless a tolerance is given; times are left out. It takes some ten minutes
on two cores, and knows the program by its command line alone, so that it holds whatever is moved inside.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FORMER = sorted((ROOT / "tests" / "data").glob("session-*.mvx*"))
TIMES = {"seconds"}
"""Keys of JSON whose values are times."""
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Case:
    """Commands that run one after another in one folder; what they print and write is compared."""

    name: str
    commands: tuple[str, ...]


def cases() -> Iterator[Case]:
    """All that is compared."""
    yield Case("lists", ("methods --json", "rules --json", "samples --json", "experiments --json"))
    for sample in json.loads(mvexplorer("samples --json", ROOT).stdout):
        id = sample["id"]
        yield Case(
            f"sample-{id}",
            (
                f"compare {id} --json --agreement --save all.mvx.json --out comparison.png",
                "run all.mvx.json --export all",
                f"bandwidth {id} --json",
            ),
        )
    for session in FORMER:
        yield Case(f"former-{session.name}", (f"run {shlex.quote(session.name)} --export out",))
    grid = "--grid epsilon_scale=.3:3:4:log --resamples 2"
    yield Case("sweep", (f"sweep coupled-circles --method multiview,kernel-sum,alternating {grid} --out rows.csv",))
    yield Case("null-test", ("embed coupled-circles --method multiview --null-test --json --out coordinates.csv",))
    yield Case("import", ("import session-2-left.csv session-2-right.csv --json --out imported.npz",))
    yield Case("diagnose", ("diagnose blobs --method multiview --out figures",))


def mvexplorer(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one command of this checkout, with nothing kept from before and one thread."""
    with tempfile.TemporaryDirectory() as home:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), home)
        environment = {**os.environ, **threads, **places, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
        return subprocess.run(
            [sys.executable, "-m", "mvexplorer", *shlex.split(words)],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip


def write(case: Case, folder: Path) -> None:
    """Run a case in its folder, which then holds all that it printed and wrote."""
    folder.mkdir(parents=True)
    for file in (ROOT / "tests" / "data").glob("session-*"):
        shutil.copy(file, folder)
    given = {file.name for file in folder.iterdir()}
    for number, words in enumerate(case.commands, 1):
        done = mvexplorer(words, folder)
        if "--json" in words:
            (folder / f"printed-{number}.json").write_text(done.stdout, "utf-8")
        (folder / f"exit-{number}.txt").write_text(f"{words}\n{done.returncode}\n", "utf-8")
        if done.returncode:
            (folder / f"complaint-{number}.txt").write_text(done.stderr, "utf-8")
    for name in given:
        (folder / name).unlink()


def record(folder: Path, workers: int) -> None:
    """Run all cases, two at a time, and move what they write to a new folder: captions name the one where they ran."""
    scratch = Path(tempfile.gettempdir()) / "mvexplorer-same"
    for place in (folder, scratch):
        if place.exists():
            raise SystemExit(f"{place} is there already: remove it, or choose another folder.")
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda case: write(case, scratch / case.name), cases()))
    shutil.move(scratch, folder)


def differences(before: Path, after: Path, tolerance: float) -> Iterator[str]:
    """One line per file that differs, is new, or is gone."""
    names = {file.relative_to(root) for root in (before, after) for file in root.rglob("*") if file.is_file()}
    for name in sorted(names):
        if not (before / name).exists() or not (after / name).exists():
            yield f"{name}: {'new' if (after / name).exists() else 'gone'}"
        elif not _comparison(name)((before / name).read_bytes(), (after / name).read_bytes(), tolerance):
            yield f"{name}: differs"


def _comparison(name: Path) -> Callable[[bytes, bytes, float], bool]:
    if name.suffix == ".json":
        return _same_json
    return _same_text if name.suffix in {".csv", ".txt", ".py", ".svg", ".html"} else _same_bytes


def _same_bytes(a: bytes, b: bytes, tolerance: float) -> bool:
    return a == b


def _same_json(a: bytes, b: bytes, tolerance: float) -> bool:
    return a == b or _same_text(*(json.dumps(_timeless(json.loads(x or b"null"))).encode() for x in (a, b)), tolerance)


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {key: _timeless(one) for key, one in value.items() if key not in TIMES}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def _same_text(a: bytes, b: bytes, tolerance: float) -> bool:
    """Same words, and numbers that are no further apart than the tolerance times the larger of 1 and themselves."""
    if a == b:
        return True
    words, numbers = zip(*((NUMBER.sub("#", x), NUMBER.findall(x)) for x in (a.decode(), b.decode())), strict=True)
    if tolerance == 0 or words[0] != words[1]:
        return False
    pairs = ((float(x), float(y)) for x, y in zip(*numbers, strict=True))
    return all(math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance) for x, y in pairs)


def main() -> int:
    """Record or check; 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", choices=("record", "check"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tolerance", type=float, default=0.0)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.act == "record":
        record(given.folder, given.workers)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        again = Path(scratch) / "again"
        record(again, given.workers)
        lines = list(differences(given.folder, again, given.tolerance))
    print("\n".join(lines) or "the same")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
