"""Documents as scripts: what the tests of scripts share."""

import numpy as np

from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.api.result import Embedding
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.colourings.derived import coloured_now
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.export.script.session import session_code
from mvexplorer.state.pictures.drawing import shown_coordinates


def document_of(source, **options):
    """A document that shows a sample or files as the window opens them."""
    loaded = load_source(source, **options)
    document = Document()
    state = commands.initial_state(loaded.data, loaded.sources, loaded.manifest, reading=loaded.options)
    document.reset(state, loaded.data)
    return document


def run_text(text, path="script.py"):
    """The names that a script defines."""
    space = {"__file__": str(path), "__name__": "__main__"}
    exec(compile(text, str(path), "exec"), space)
    return space


def embeddings(space):
    """The embeddings that a script computed, in their order."""
    return [value for value in space.values() if isinstance(value, Embedding)]


def check_script(document, path):
    """Run the script of a document as it would be at `path`, compare all it makes; returns its text and its names."""
    finished = compute(document.state, document.data)
    text = session_code(document.state, document.data, finished.results, path)
    assert all(len(line) <= 100 for line in text.splitlines() if not line.lstrip().startswith(("Path(", '"', "+")))
    space = run_text(text, path)
    made = [panel for panel in document.state.panels if finished.results[panel.id].result is not None]
    found = embeddings(space)
    assert len(found) == len(made) == len(space.get("panels", {}))
    for panel, embedding in zip(made, found, strict=True):
        _check_panel(space, panel, embedding, finished.results[panel.id])
    _check_scores(space, finished, made)
    _check_points(space, document, finished)
    return text, space


def _check_panel(space, panel, embedding, expected):
    wanted = expected.result.embedding
    assert (embedding.method, embedding.views, dict(embedding.params)) == (wanted.method, wanted.views, wanted.params)
    told = [{code for code, _ in one.warnings} - {"views"} for one in (embedding, wanted)]
    assert told[0] == told[1]
    np.testing.assert_allclose(embedding.epsilon, wanted.epsilon, rtol=0, atol=0)
    np.testing.assert_allclose(embedding.coordinates, wanted.coordinates, rtol=0, atol=1e-10)
    np.testing.assert_allclose(embedding.eigenvalues, wanted.eigenvalues, rtol=0, atol=1e-10)
    name = next(name for name, value in space.items() if value is embedding)
    columns, _ = shown_coordinates(wanted, panel.show)
    axes = list(dict.fromkeys(min(axis, columns.shape[1] - 1) for axis in panel.axes[: panel.dims]))
    np.testing.assert_allclose(space[f"{name}_drawn"], columns[:, axes], rtol=0, atol=1e-10)


def _check_scores(space, finished, made):
    names = finished.scores
    assert bool(names) == ("scores" in space) or not made
    for panel, scores in zip(made, space.get("scores", {}).values(), strict=bool(names)):
        expected = finished.results[panel.id].scores.each()
        assert list(scores) == [names[id] for id in expected]
        for score, wanted in zip(scores.values(), expected.values(), strict=True):
            np.testing.assert_allclose(score.value, wanted.value, rtol=0, atol=1e-10)
            assert (score.spread is None) == (wanted.spread is None)


def _check_points(space, document, finished):
    state, data = document.state, document.data
    wanted = coloured_now(state, data, finished.results.__getitem__)
    if wanted is None:
        assert "colour" not in space
    elif wanted.classes:
        # The same samples share a class.
        codes = np.unique([str(value) for value in space["colour"]], return_inverse=True)[1]
        assert len(set(zip(codes, wanted.values, strict=True))) == len(set(codes))
        shown = [not state.visible_classes or wanted.classes[code] in state.visible_classes for code in wanted.values]
        np.testing.assert_array_equal(space.get("visible", np.ones(len(shown), dtype=bool)), shown)
    else:
        np.testing.assert_allclose(np.asarray(space["colour"], dtype=float), wanted.values, rtol=0, atol=1e-10)
    assert tuple(np.asarray(space.get("selection", ())).tolist()) == state.selection
