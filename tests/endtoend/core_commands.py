"""Runs the commands of core one after the other in this process, and prints as JSON what each said and returned.

core_commands.py FOLDER [--blocked]: the folder holds a.csv and b.csv; with --blocked PySide6 and pyqtgraph cannot be
imported, as where they are not installed.
"""

import contextlib
import io
import json
import os
import sys
import traceback

WINDOW = ("PySide6", "shiboken6", "pyqtgraph")
DATA = ("a.csv", "b.csv", "--labels", "kind")
COMPARE = ("compare", *DATA, "--methods", "single,multiview")
COMMANDS = {
    "embed": ("embed", *DATA, "--method", "multiview", "--out", "e.csv"),
    "sweep": ("sweep", *DATA, "--method", "multiview", "--grid", "epsilon_scale=0.5:2:3:log", "--out", "s.csv"),
    "bandwidth": ("bandwidth", *DATA, "--json"),
    "spectrum": ("bandwidth", *DATA, "--spectrum", "--out", "spectrum.csv"),
    "import": ("import", *DATA, "--out", "i.npz"),
    "diagnose": ("diagnose", *DATA, "--method", "multiview", "--out", "d"),
    "experiments": ("experiments", "--json"),
    "experiment": ("experiments", "run", "lindenbaum2015-fig3", "--out", "figures"),
    "lessons": ("lessons", "--json"),
    "page": (*COMPARE, "--out", "c.html", "--save", "c.mvx.json"),
    "table": (*COMPARE, "--out", "c.csv"),
    "facts": (*COMPARE, "--agreement", "--json", "--out", "c.json"),
    "png": (*COMPARE, "--out", "c.png"),
    "svg": (*COMPARE, "--out", "c.svg", "--theme", "dark"),
    "script": ("script", "c.mvx.json", "--out", "c.py"),
    "run": ("run", "c.mvx.json"),
    "doctor": ("doctor",),
}
"""What works without a window."""
REFUSED = {
    "window": DATA,
    "screenshot": ("screenshot", *DATA, "--out", "w.png"),
    "memory": ("doctor", "--memory"),
    "export": ("run", "c.mvx.json", "--export", "exported"),
    "spectrum as a picture": ("bandwidth", *DATA, "--spectrum", "--out", "spectrum.png"),
    "pdf": (*COMPARE, "--out", "c.pdf"),
    "figure": (*COMPARE, "--out", "f.png", "--figure", "column"),
}
"""What needs one."""

SHOW = """
import mvexplorer as mvx
from mvexplorer.errors import MVExplorerError

try:
    mvx.show("helix-a")
except MVExplorerError as error:
    print(error)
"""
"""Asks for a window in Python, and prints what is said."""


class Blocked:
    """Finds none of the modules that the window is made of."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in WINDOW:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def outcome(arguments):
    """What a command printed and returned; a traceback where it broke."""
    from mvexplorer.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(arguments))
        except Exception:
            code = 1
            traceback.print_exc()
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    if "--blocked" in sys.argv:
        sys.meta_path.insert(0, Blocked())
    results = {name: outcome(arguments) for name, arguments in {**COMMANDS, **REFUSED}.items()}
    print(json.dumps({"results": results, "loaded": sorted({name.partition(".")[0] for name in sys.modules})}))
