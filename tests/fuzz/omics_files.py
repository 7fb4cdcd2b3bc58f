"""AnnData and MuData files in the layout of their libraries, with lies in the places where they hurt."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from mutations import damage
from sentinel import lead_away

M = 6


def omics(rng: Random, path: Path) -> bytes:
    """An .h5ad file, or an .h5mu file of two modalities; written to `path` on the way."""
    import h5py

    with h5py.File(path, "w") as file:
        if rng.random() < 0.5:
            _modality(rng, file, M, path.parent)
        else:
            _frame(rng, file, "obs", M)
            file.attrs["axis"] = _mostly(rng, 0, 1, -1, 7)
            held, rows = file.create_group("mod"), file.create_group("obsmap")
            for name in ("rna", "protein"):
                _modality(rng, held.create_group(name), M, path.parent)
                known = [_mostly(rng, i + 1, 0, 0, 0, 99) for i in range(M)]
                _tell(rows.create_dataset(name, data=known), "array")
    content = path.read_bytes()
    return damage(rng, content) if rng.random() < 0.5 else content


def _mostly(rng: Random, right: Any, *lies: Any) -> Any:
    return right if rng.random() < 0.94 else rng.choice(lies)


def _tell(node: Any, kind: str) -> Any:
    node.attrs["encoding-type"], node.attrs["encoding-version"] = kind, "0.2.0" if kind != "csr_matrix" else "0.1.0"
    return node


def _modality(rng: Random, group: Any, count: int, folder: Path) -> None:
    _tell(group, "anndata")
    _frame(rng, group, "obs", count)
    _frame(rng, group, "var", 3)
    kind = _mostly(rng, rng.choice(("array", "csr_matrix", "dataframe")), "lies")
    if kind == "csr_matrix":
        node = _tell(group.create_group("X"), kind)
        node.attrs["shape"] = _mostly(rng, [count, 3], [2**40, 3], [count, 2**62], [-1, 3])
        node["data"], node["indices"] = np.ones(count), [_mostly(rng, 2, 50, -1, 0) for _ in range(count)]
        node["indptr"] = [*range(count), _mostly(rng, count, 0, 2**31)]
    elif kind == "dataframe":
        _frame(rng, group, "X", count)
    else:
        _tell(group.create_dataset("X", data=np.arange(count * 3.0).reshape(count, 3)), kind)
    obsm = _tell(group.create_group("obsm"), "dict")
    for name, width in (("X_pca", 4), ("X_umap", 2)):
        size = _mostly(rng, count, 1, 0)
        _tell(obsm.create_dataset(name, data=np.ones((size, width)) * np.arange(size)[:, None]), "array")
    if rng.random() < 0.1:
        lead_away(rng, rng.choice((obsm, group["obs"], group)), rng.choice(("far", "X_pca2", "raw")), folder)


def _frame(rng: Random, group: Any, name: str, count: int) -> None:
    import h5py

    text = h5py.string_dtype()
    node = _tell(group.create_group(name), "dataframe")
    node.attrs["_index"] = _mostly(rng, "_index", "none")
    node.attrs["column-order"] = _mostly(rng, ["depth", "kind"] if name == "obs" else ["depth"], ["none"])
    size = _mostly(rng, count, 2)
    _tell(node.create_dataset("_index", data=[f"cell {i}" for i in range(size)], dtype=text), "string-array")
    _tell(node.create_dataset("depth", data=np.arange(count) / 2), "array")
    kinds = _tell(node.create_group("kind"), "categorical")
    kinds.attrs["ordered"] = False
    _tell(
        kinds.create_dataset("codes", data=[_mostly(rng, rng.choice((0, 1)), -1, 9) for _ in range(count)], dtype="i1"),
        "array",
    )
    _tell(kinds.create_dataset("categories", data=["a", "b"], dtype=text), "string-array")
