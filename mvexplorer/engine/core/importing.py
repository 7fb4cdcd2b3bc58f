"""Large libraries are imported where they are used, by one thread at a time.

Two threads that import parts of one library at once may wait for each other: a part first locks itself and then its
package, a package itself and then its parts. Python ends that by an error in one of them.
"""

from __future__ import annotations

import sys
from threading import RLock, active_count

IMPORTS = RLock()
"""Held while a worker imports scipy or scikit-learn."""


def await_polars() -> None:
    """Have polars imported whole, before scikit-learn is called, where another thread may be importing it.

    scikit-learn asks whatever stands in ``sys.modules`` for its classes, also what is half imported.
    """
    if "polars" in sys.modules or active_count() > 1:
        import polars  # noqa: F401
