"""Where the process of `mvexplorer.show` begins: who waits for it hears, before Qt is imported, if no window opens."""

from __future__ import annotations

import json
import os
import sys

from mvexplorer.errors import MVExplorerError
from mvexplorer.state.bench.remote_window import error_message
from mvexplorer.ui.runtime.platform_check import use_platform


def main() -> int:
    """Run the window of another process, which says on standard input what to open."""
    opened = json.loads(sys.stdin.buffer.read())
    said = os.dup(1)  # what else is printed does not get into it
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        if not use_platform():
            raise MVExplorerError(
                "There is no display for a window.",
                "Start Python where there is one, or use mvx.embed, or mvexplorer compare on a command line.",
            )
    except MVExplorerError as error:
        with os.fdopen(said, "w") as pipe:
            pipe.write(json.dumps(error_message(None, error)) + "\n")
        return 2
    from mvexplorer.ui.remote import Remote

    return Remote(opened, said).run()
