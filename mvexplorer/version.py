"""The version of the program, and the distribution it came in, where every room can read them."""

__version__ = "0.1.0"

WHOLE, CORE = "mvexplorer", "mvexplorer-core"
"""The distributions: both hold the same files, and the second does not require what the window is made of."""


def installed_distributions() -> list[str]:
    """Those of the two that are installed."""
    from importlib import metadata

    names = []
    for name in (WHOLE, CORE):
        try:
            metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        names.append(name)
    return names


def with_extra(extra: str) -> str:
    """The requirement that adds an extra to what is installed, as pip takes it: ``mvexplorer[excel]``."""
    return f"{CORE if installed_distributions() == [CORE] else WHOLE}[{extra}]"
