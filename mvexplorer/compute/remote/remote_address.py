"""The place where jobs are to run, as a user writes it, and whether it may be used without a question."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from mvexplorer.errors import DataError, ParameterError
from mvexplorer.io.base.guards import open_file
from mvexplorer.wording import one_line

LOCAL = "local:"
FORMS = "Write local:N, tcp://HOST:PORT, tls://HOST:PORT, or the path of a scheduler file."


@dataclass(frozen=True)
class Address:
    """Processes on this computer (`processes` > 0), or a scheduler that runs already (`url`)."""

    processes: int = 0
    url: str = ""

    @property
    def title(self) -> str:
        """Its name for the user."""
        if self.url:
            return self.url
        return "1 process" if self.processes == 1 else f"{self.processes} processes"

    @property
    def exposed(self) -> bool:
        """True if data and code would cross a network that others can read and write to."""
        return self.url.startswith("tcp:") and not _is_loopback(urlsplit(self.url).hostname or "")


def parse_address(text: str) -> Address:
    """The address that a text names; DataError or ParameterError where it names none."""
    if text.startswith(LOCAL):
        return Address(processes=_number(text))
    if "://" in text:
        return Address(url=_checked(text))
    if os.path.exists(text):
        return Address(url=_checked(_in_file(Path(text))))
    raise ParameterError(f"“{one_line(text)}” is no cluster.", FORMS)


def allow(address: Address, plain_tcp: bool) -> None:
    """ParameterError where the address is exposed, and nobody has said that this is wanted."""
    if address.exposed and not plain_tcp:
        raise ParameterError(f"{address.url} is neither encrypted nor on this computer. {WHY_NOT}", HOW_TO_ALLOW)


WHY_NOT = (
    "Whoever can reach that network can read the data, and run programs here and on the workers, since Dask sends "
    "pickled objects."
)
HOW_TO_ALLOW = "Use tls://, or allow it by --allow-plain-tcp (allow_plain_tcp=True) where you trust that network."


def _number(text: str) -> int:
    given, cores = text.removeprefix(LOCAL), os.cpu_count() or 1
    if not (given.isascii() and given.isdigit()):
        raise ParameterError(f"“{one_line(text)}” names no number of processes.", FORMS)
    if not (number := int(given)):
        raise ParameterError("0 processes compute nothing.", "Give at least 1, as in local:2.")
    most_per_core = 4  # more processes are a slip of the hand
    if number > most_per_core * max(cores, 4):
        raise ParameterError(
            f"{number} processes would wait for each other on {cores} processors.", f"Give about {cores}."
        )
    return number


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        complete = parts.scheme in ("tcp", "tls") and parts.hostname and parts.port and not (parts.path or parts.query)
    except ValueError:
        complete = False
    if not complete:
        raise ParameterError(f"“{one_line(url)}” is no address of a scheduler.", FORMS)
    return url


def _in_file(path: Path) -> str:
    """The address in the file that `dask scheduler --scheduler-file` wrote."""
    text = b""
    largest = 1 << 20  # bytes of a scheduler file
    if not path.is_dir():
        with open_file(path) as file:
            text = file.read(largest + 1)
    try:
        address = json.loads(text)["address"] if len(text) <= largest else None
    except (ValueError, KeyError, TypeError, RecursionError):
        address = None
    if not isinstance(address, str):
        raise DataError(
            f"“{path}” is no scheduler file.", "Give the file that dask scheduler --scheduler-file FILE wrote."
        )
    return address


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
