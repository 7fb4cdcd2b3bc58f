"""Processes that this program starts: the one place that knows how Python runs a module of ours in another one."""

from __future__ import annotations

import sys
from pathlib import Path

_HOME = str(Path(__file__).parents[1])


def command(module: str) -> list[str]:
    """The command that calls `main` of one of our modules, and ends with the code that it returns.

    The folder in which the user works is not searched for modules (``-P``): whatever lies there must not run. Ours are
    found where those of this process are, also where nothing was installed; after all others, so that they hide none.

    Parameters
    ----------
    module : str
        Its full name.

    Returns
    -------
    list of str
        For `subprocess`. Not `multiprocessing`, which runs the caller's script again.
    """
    program = f"import sys; sys.path.append({_HOME!r}); from {module} import main; sys.exit(main())"
    return [sys.executable, "-P", "-c", program]
