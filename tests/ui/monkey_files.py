"""Small files, some of them odd, for the random hand to open."""

from __future__ import annotations

from pathlib import Path

import numpy as np

HOSTILE = (
    "<img src='/nowhere.png'>", "<h1>huge</h1>", "a & b &c", "two\nlines", "x" * 300, "‏ימין לשמאל", "🧭🧭", " ",
    "{0} %s", "a:b", "epsilon:c", "..", "naïve",
)  # fmt: skip
"""Names that would show wherever a name is taken for markup, a mnemonic, a path or a short word."""
SAMPLES = ("helix-a", "circles", "blobs", "coupled-circles", "two-squares", "toy-train", "spiral-classes", "uci-digits")


def write_files(folder: Path) -> list[tuple[str, ...]]:
    """Sources to open: each is a sample's id, or some files."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(0).normal
    tables = {
        "one": draw(size=(40, 3)), "two": draw(size=(40, 5)), "short": draw(size=(39, 2)), "three": draw(size=(3, 2)),
        "four": draw(size=(4, 2)), "five": draw(size=(5, 2)), "constant": np.ones((30, 2)), "flat": draw(size=(30, 1)),
        "tiny": 1e-200 * draw(size=(30, 2)), "large": 1e150 * draw(size=(30, 2)), "wide": draw(size=(12, 200)),
        "equal": np.repeat(draw(size=(6, 2)), 5, axis=0),
    }  # fmt: skip
    for name, X in tables.items():
        _csv(folder / f"{name}.csv", X, [f"f{i}" for i in range(X.shape[1])])
    holes = draw(size=(30, 3))
    holes[3, 1] = np.nan
    _csv(folder / "holes.csv", holes, ["a", "b", "c"])
    _csv(folder / "names.csv", draw(size=(30, len(HOSTILE))), [f'"{n}"' for n in HOSTILE])
    (folder / "noise.npz").write_bytes(bytes(range(256)))
    (folder / "<b>bold & co.csv").write_bytes((folder / "one.csv").read_bytes())
    views = {f"{name[:80]}{i}".replace("/", "|"): draw(size=(36, 3)) for i, name in enumerate(HOSTILE)}
    np.savez(folder / "views.npz", **{k: v for k, v in views.items() if "\n" not in k})
    sources = [(str(folder / f"{name}.csv"),) for name in (*tables, "holes", "names", "<b>bold & co", "gone")]
    pairs = [("one", "two"), ("one", "short"), ("five", "five"), ("tiny", "large"), ("equal", "constant")]
    sources += [tuple(str(folder / f"{n}.csv") for n in pair) for pair in pairs]
    return [*sources, (str(folder / "noise.npz"),), (str(folder / "views.npz"),), *((s,) for s in SAMPLES)]


def _csv(path: Path, X: np.ndarray, header: list[str]) -> None:
    rows = [",".join(header), *(",".join(f"{v:.6g}" for v in row) for row in X)]
    path.write_text("\n".join(rows) + "\n", "utf-8")
