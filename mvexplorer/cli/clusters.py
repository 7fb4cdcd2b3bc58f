"""The place where a command computes: this computer, processes of it, or a Dask cluster."""

from __future__ import annotations

import argparse
import sys

from mvexplorer.cli.output import tell
from mvexplorer.compute.remote.remote import Workers
from mvexplorer.compute.remote.remote_address import WHY_NOT, allow, parse_address
from mvexplorer.compute.remote.remote_dask import workers_at


def check_cluster(options: argparse.Namespace) -> None:
    """Refuse an unsafe cluster, or ask about it, before anything is computed."""

    if options.cluster is None:
        return
    address, interactive = parse_address(options.cluster), sys.stdin is not None and sys.stdin.isatty()
    if address.exposed and not options.allow_plain_tcp and interactive and sys.stderr.isatty():
        tell(f"{address.url} is neither encrypted nor on this computer. {WHY_NOT} Use it all the same? [y/N] ")
        options.allow_plain_tcp = sys.stdin.readline().strip().lower() in ("y", "yes")
    allow(address, options.allow_plain_tcp)


def workers_of(options: argparse.Namespace) -> Workers:
    """The workers that the options name."""

    return workers_at(options.cluster, allow_plain_tcp=options.allow_plain_tcp)
