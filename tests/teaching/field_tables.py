"""Makes the three tables of the lesson “From three tables to a figure”: `python tests/teaching/field_tables.py`.

Ninety plants of three species. Leaves tell the first species from the others, the light they reflect tells the last
one; the soil they stand in tells nothing.
"""

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[2] / "resources" / "lessons"
SPECIES = ("alder", "birch", "cherry")
TABLES = {
    "leaf": ("length", "width", "teeth", "stalk"),
    "light": ("blue", "green", "red", "near"),
    "soil": ("sand", "clay", "lime", "humus"),
}


def tables():
    """The text of each table, by its name."""
    rng = np.random.default_rng(12)
    kinds = np.repeat(np.arange(len(SPECIES)), 30)
    middle = {"leaf": (0.0, 4.0, 4.0), "light": (0.0, 0.0, 4.0), "soil": (0.0, 0.0, 0.0)}
    texts = {}
    for name, columns in TABLES.items():
        values = np.array(middle[name])[kinds, None] + rng.normal(size=(len(kinds), len(columns)))
        head = ("plant", *(("class",) if name == "leaf" else ()), *columns)
        rows = [",".join(head)]
        for i, kind in enumerate(kinds):
            given = (SPECIES[kind],) if name == "leaf" else ()
            rows.append(",".join((f"plant{i + 1:02d}", *given, *(f"{x:.2f}" for x in 10.0 + values[i]))))
        texts[f"{name}.csv"] = "\n".join(rows) + "\n"
    return texts


if __name__ == "__main__":
    for file, text in tables().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
