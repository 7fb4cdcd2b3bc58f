"""The methods: one file per family, and the table of them all.

A new method is one file with a `METHODS` tuple and one row in the table below.
"""

from __future__ import annotations

from mvexplorer.engine.core.catalogue import Catalogue
from mvexplorer.engine.methods import (
    alternating,
    desa,
    difference,
    fusion,
    given_coordinates,
    joint,
    jointly_smooth,
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
    view_specific,
)
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.unit_rows import with_unit_rows

_FAMILIES = (
    single, fusion, multiview, desa, kernel_cca, alternating, local_cca, tensor_cca, joint, laplacians, shared_bases,
    jointly_smooth, view_specific, difference, measure, representation, linear, given_coordinates,
)  # fmt: skip
"""In the order in which their methods are shown."""

METHODS: Catalogue[Method] = Catalogue(
    (with_unit_rows(method) for family in _FAMILIES for method in family.METHODS), "method"
)


def methods() -> Catalogue[Method]:
    """All methods, in the order in which they are shown.

    Returns
    -------
    tuple of Method
        Indexed by position or id; for an unknown id ParameterError names the nearest one.

    Examples
    --------
    >>> mvx.methods()["jade"].title
    'Joint diagonalisation'
    >>> [p.name for p in mvx.methods()["multiview"].params]
    ['n_components', 't', 'delta', 'alpha', 'self_loops', 'normalisation', 'eta', 'view_weights', 'unit_rows']
    """
    return METHODS


def get_method(id: str) -> Method:
    """The method with this id; ParameterError names the ids there are."""
    return METHODS[id if isinstance(id, str) else str(id)]
