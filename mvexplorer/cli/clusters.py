"""Where a command computes: this computer, processes of it, or a Dask cluster."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mvexplorer.cli.output import tell

if TYPE_CHECKING:
    import argparse

    from mvexplorer.compute.remote import Workers


def add_cluster_flags(parser: argparse.ArgumentParser) -> None:
    """Add --cluster, and what allows one that is not safe."""
    parser.add_argument("--cluster", metavar="WHERE",
                        help="compute in local:N processes, or on the Dask cluster whose scheduler has the address "
                             "tcp://HOST:PORT or tls://HOST:PORT, or wrote this file")  # fmt: skip
    parser.add_argument("--allow-plain-tcp", action="store_true",
                        help="use an address although it is neither encrypted nor on this computer")  # fmt: skip


def workers_of(options: argparse.Namespace) -> Workers:
    """The workers that the options name; on a terminal one that is not safe is asked about."""
    from mvexplorer.compute.remote_dask import workers_at

    allowed = options.allow_plain_tcp
    if options.cluster is not None and not allowed:
        allowed = _allowed(options.cluster)
    return workers_at(options.cluster, allow_plain_tcp=allowed)


def _allowed(where: str) -> bool:
    """Ask whether an address without encryption is to be used, if there is somebody to ask."""
    from mvexplorer.compute.remote_address import WHY_NOT, parse_address

    address = parse_address(where)
    if not address.exposed or sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    tell(f"{address.url} is neither encrypted nor on this computer. {WHY_NOT} Use it all the same? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
