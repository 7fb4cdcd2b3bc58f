"""The drawn formulas of the method cards are those of the methods, and the program draws none itself."""

import subprocess
import sys

from formulas import FOLDER, drawings


def test_each_formula_is_drawn_as_its_method_says():
    files = {path.name: path.read_bytes().decode() for path in FOLDER.iterdir()}
    wanted = drawings()
    assert files.keys() == wanted.keys()
    stale = [name for name in wanted if files[name] != wanted[name]]
    assert not stale, "draw them anew: python tests/quality/formulas.py"


def test_a_method_card_needs_no_typesetter():
    program = "import sys; import mvexplorer.ui.panels.method_card; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert not {"ziamath", "ziafont", "latex2mathml"} & set(done.stdout.split())
