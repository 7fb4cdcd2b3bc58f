"""The breast-cancer table of scikit-learn as people bring it: files of several kinds, columns in another language."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

VIEWS = ("mittel", "fehler", "extrem")
KINDS = ("csv", "xlsx", "parquet", "h5mu")


def write_tumours(folder: Path, kind: str, rows: int | None = None) -> tuple[str, ...]:
    """Three CSV files, or one file of another kind; `rows` samples, default all. Returns their paths."""
    found = load_breast_cancer()
    names = [f"P-{i:03d}" for i in range(len(found.target))][:rows]
    classes = np.array(["bösartig", "gutartig"])[found.target][:rows].tolist()
    measures = {view: {f"{view}_{j}": found.data[:rows, 10 * k + j] for j in range(10)} for k, view in enumerate(VIEWS)}
    if kind == "h5mu":
        return (_mudata(folder / "alles.h5mu", names, classes, measures),)
    polars = pytest.importorskip("polars")
    if kind == "csv":
        for view, columns in measures.items():
            label = {"befund": classes} if view == VIEWS[0] else {}
            polars.DataFrame({"fall": names, **label, **columns}).write_csv(folder / f"{view}.csv")
        return tuple(str(folder / f"{view}.csv") for view in VIEWS)
    table = {"fall": names, "befund": classes, **{n: X for columns in measures.values() for n, X in columns.items()}}
    path = folder / f"alles.{kind}"
    if kind == "parquet":
        polars.DataFrame(table).write_parquet(path)
    else:
        book = pytest.importorskip("openpyxl").Workbook()
        for row in (table, *zip(*(map(_plain, column) for column in table.values()), strict=True)):
            book.active.append(list(row))
        book.save(path)
    return (str(path),)


def _plain(value):
    return value if isinstance(value, str) else float(value)


def _mudata(path, names, classes, measures):
    mudata, anndata = pytest.importorskip("mudata"), pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    parts = {}
    for view, columns in measures.items():
        features = pandas.DataFrame(index=list(columns))
        parts[view] = anndata.AnnData(np.column_stack(list(columns.values())), pandas.DataFrame(index=names), features)
    with mudata.set_options(pull_on_update=False):
        whole = mudata.MuData(parts)
        whole.obs["befund"] = classes
        whole.write(path)
    return str(path)
