"""The methods: one file per family, and the table of them all.

A new method is one file with a `METHODS` tuple and one row in the table below.
"""

from __future__ import annotations

from mvexplorer.engine.methods import (
    alternating,
    desa,
    fusion,
    joint,
    kernel_cca,
    laplacians,
    linear,
    local_cca,
    measure,
    multiview,
    representation,
    shared_bases,
    single,
    tensor_cca,
)
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.errors import ParameterError

_FAMILIES = (
    single, fusion, multiview, desa, kernel_cca, alternating, local_cca, tensor_cca, joint, laplacians, shared_bases,
    measure, representation, linear,
)  # fmt: skip
"""In the order in which their methods are shown."""

METHODS: tuple[Method, ...] = tuple(method for family in _FAMILIES for method in family.METHODS)


def methods() -> tuple[Method, ...]:
    """All methods, in the order in which they are shown."""
    return METHODS


def get_method(id: str) -> Method:
    """The method with this id; ParameterError names the ids there are."""
    found = next((method for method in METHODS if method.id == id), None)
    if found is None:
        raise ParameterError(f"There is no method called “{id}”.", f"Methods: {', '.join(m.id for m in METHODS)}.")
    return found
