"""The two distributions of the program, which hold the same files and differ in what they require."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mvexplorer.version import CORE, WHOLE, installed_distributions


def trouble_of_two() -> str:
    """A sentence and the command that mends it where both are installed; else nothing."""
    if len(installed_distributions()) < 2:
        return ""
    return (
        f"{WHOLE} and {CORE} are both installed here, and hold the same files: removing one spoils the other. "
        f"Mend it with: python -m pip uninstall -y {CORE} && "
        f"python -m pip install --force-reinstall --no-deps {_origin(metadata.distribution(WHOLE))}"
    )


def _origin(of: metadata.Distribution) -> str:
    """The arguments of pip that install a distribution again from where it came; neither is on a package index."""
    about = json.loads(of.read_text("direct_url.json") or "{}")
    url = urlsplit(str(about.get("url", "")))
    if url.scheme != "file":
        return url.geturl() or "PATH, its wheel or folder"
    path = Path(url2pathname(url.path))
    editable = ["-e"] if about.get("dir_info", {}).get("editable") else []
    return (shlex.join if os.name == "posix" else subprocess.list2cmdline)([*editable, str(path)])
