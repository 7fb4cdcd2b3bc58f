"""In a notebook `embed` shows how far it is; elsewhere it shows nothing."""

import subprocess
import sys

import pytest

DATA = "[np.random.default_rng(0).normal(size=(400, 3))]"
COMPUTE = f"import numpy as np, mvexplorer as mvx; mvx.embed({DATA}, 'single', t=3)"
WITHOUT = "import sys; sys.modules['tqdm'] = sys.modules['tqdm.auto'] = None\n"


def test_elsewhere_nothing_is_shown_and_no_bar_is_loaded(tmp_path):
    code = f"{COMPUTE}; import sys; print('tqdm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.nightly
@pytest.mark.parametrize(("before", "shown"), [("", "Single view: "), (WITHOUT, " %  Single view")])
def test_a_notebook_shows_a_bar_or_a_line(tmp_path, before, shown):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("tqdm")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(before + COMPUTE + ";")])
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    (cell,) = notebook.cells
    assert shown in "".join(each.text for each in cell.outputs if each.get("name") == "stderr")
