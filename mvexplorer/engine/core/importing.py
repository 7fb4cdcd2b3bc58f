"""Large libraries are imported where they are used, by one thread at a time.

Two threads that import parts of one library at once may wait for each other: a part first locks itself and then its
package, a package itself and then its parts. Python ends that by an error in one of them.
"""

from __future__ import annotations

from threading import RLock

IMPORTS = RLock()
"""Held while a worker imports scipy or scikit-learn."""


def await_polars() -> None:
    """Have polars imported whole, before scikit-learn is called.

    It asks whatever stands in ``sys.modules`` for its classes, also what another thread still imports.
    """
    import polars  # noqa: F401
