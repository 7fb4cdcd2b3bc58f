"""Sessions as notebooks: valid, run by Jupyter's own client, and nothing in a name becomes markup."""

import shutil

import numpy as np
import pytest
from scripted import document_of

import mvexplorer as mvx
from mvexplorer.engine.api.result import scatter
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.export.script.notebook import as_markdown
from mvexplorer.state.export.script.session import session_code, write_session_code


@pytest.fixture
def document(tmp_path):
    drawn = np.random.default_rng(0)
    files = []
    for name in ("one", "two"):
        files.append(str(tmp_path / f"{name}.csv"))
        X = drawn.normal(size=(40, 3)) + 5.0 * (np.arange(40) % 2)[:, None]
        np.savetxt(files[-1], np.c_[X, np.arange(40) % 2], delimiter=",", header="a,b,c,kind", comments="")
    made = document_of(files, labels="kind")
    commands.select(made, [1, 2, 3])
    return made


def cells_of(document, path):
    nbformat = pytest.importorskip("nbformat")
    results = compute(document.state, document.data).results
    found = nbformat.reads(session_code(document.state, document.data, results, path), as_version=nbformat.NO_CONVERT)
    nbformat.validate(found)
    assert (found.nbformat, found.nbformat_minor) == (4, 5)
    return found


@pytest.mark.nightly
def test_jupyter_runs_it_where_it_has_moved_to(document, tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    home, there = tmp_path / "home", tmp_path / "there"
    home.mkdir()
    for file in document.state.source:
        shutil.move(file, home)
    document.apply(
        "Move", lambda s: s.model_copy(update={"source": tuple(str(home / f"{n}.csv") for n in ("one", "two"))})
    )
    finished = compute(document.state, document.data)
    write_session_code(document.state, document.data, finished.results, home / "s.ipynb")
    home.rename(there)
    found = nbformat.read(there / "s.ipynb", as_version=nbformat.NO_CONVERT)
    keep = 'np.savez("made.npz", *[panel.coordinates for panel in panels.values()], selection=selection)'
    found.cells.append(nbformat.v4.new_code_cell(keep))
    nbclient.NotebookClient(found, timeout=300, resources={"metadata": {"path": str(there)}}).execute()
    made = np.load(there / "made.npz")
    for place, panel in enumerate(document.state.panels):
        wanted = finished.results[panel.id].result.embedding.coordinates
        np.testing.assert_allclose(made[f"arr_{place}"], wanted, rtol=0, atol=1e-10)
    assert made["selection"].tolist() == [1, 2, 3]
    outputs = [output for cell in found.cells if cell.cell_type == "code" for output in cell.outputs]
    pictures = [o for o in outputs if "<svg" in o.get("data", {}).get("text/html", "")]
    assert len(pictures) == len(document.state.panels)
    assert any("NMI 1.000" in output.get("text", "") for output in outputs)


def test_every_panel_has_a_cell_of_words_and_one_of_code(document, tmp_path):
    commands.add_panel(document, "tensor-cca")
    found = cells_of(document, tmp_path / "s.ipynb")
    words = [cell.source for cell in found.cells if cell.cell_type == "markdown"]
    assert words[0].startswith("# one.csv, two.csv\n")
    for title in ("## Data", "## Single · one", "## Multi\\-view", "## Tensor CCA", "## Scores", "## Selection"):
        assert sum(text.startswith(title) for text in words) == 1
    assert sum(cell.source.endswith("\nmultiview_1") for cell in found.cells) == 1
    assert not any("__file__" in cell.source for cell in found.cells)
    assert len({cell.id for cell in found.cells}) == len(found.cells)


def test_data_that_is_gone_is_one_sentence(document, tmp_path, monkeypatch):
    found = cells_of(document, tmp_path / "s.ipynb")
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").unlink()
    monkeypatch.chdir("/")
    code = "\n".join(cell.source for cell in found.cells[:4] if cell.cell_type == "code")
    with pytest.raises(
        FileNotFoundError, match=r"Not all of one\.csv, two\.csv are in / or .*folders in this notebook"
    ):
        exec(code, {})


def test_its_pictures_leave_the_trivial_coordinate_out():
    data = mvx.load("circles")
    found = mvx.embed(data, "kernel-cca", n_components=4)
    drawn = scatter(found.view_coordinates[0][:, 1:3], data.labels, "")
    assert found._repr_html_().partition("<figcaption>")[0] == drawn.partition("<figcaption>")[0]
    assert "nan" not in mvx.embed(data, "pca")._repr_html_()


def test_names_are_no_markup():
    assert as_markdown("<img src=x> ![a](http://b) $x$ _y_ &lt; #") == (
        "&lt;img src=x&gt; \\!\\[a\\]\\(http://b\\) \\$x\\$ \\_y\\_ &amp;lt; \\#"
    )
