"""The lines of Python that a panel is copied as make the same coordinates."""

import numpy as np
import pytest
from inline import Inline
from scripted import embeddings, run_text

import mvexplorer as mvx
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.export.script.session import panel_script
from mvexplorer.state.pictures.controller import Controller


def opened(source, **options):
    data = mvx.load(source, **options)
    document = Document()
    named = (source,) if isinstance(source, str) else tuple(source)
    document.reset(commands.initial_state(data, named, None), data)
    return document


def run(script):
    (found,) = embeddings(run_text(script))
    return found


def shown(document):
    """What the panels of a document show, by id."""
    controller = Controller(document, executor=Inline(), background=Inline())
    controller.refresh()
    try:
        results = {panel.id: controller.result(panel.id) for panel in document.state.panels}
        return {id: result.result.embedding for id, result in results.items() if result.error is None}
    finally:
        controller.shutdown()


def check(document, panel, seen=None):
    """The panel's script, once it has made what the panel shows; `seen` is all that is shown, if known."""
    script = panel_script(document.state, document.data, panel)
    found, expected = run(script), (seen or shown(document))[panel.id]
    assert found.views == expected.views
    np.testing.assert_allclose(found.coordinates, expected.coordinates, rtol=0, atol=1e-10)
    return script


def test_the_script_of_every_panel_of_a_sample():
    document = opened("helix-a")
    seen = shown(document)
    for panel in document.state.panels:
        script = check(document, panel, seen)
        assert script.startswith("import mvexplorer as mvx\n")
        assert all(len(line) <= 100 for line in script.splitlines())


def test_bandwidths_pins_kernels_and_parameters_are_written_down():
    document = opened("helix-a")
    commands.set_epsilon(document, "view1", 0.5)
    commands.set_scale(document, 1.3)
    commands.set_kernel(document, "view2", "knn-20")
    commands.set_param(document, "t", 3)
    panel = next(p for p in document.state.panels if p.method == "multiview")
    commands.pin(document, panel.id, "eta", 0.25)
    script = check(document, document.state.panel(panel.id))
    for words in ('{"view1": 0.65, "view2": "1.3*robust"}', '{"view2": "knn-20"}', "t=3", "eta=0.25"):
        assert words in script


def test_files_preprocessing_and_weights(tmp_path):
    drawn = np.random.default_rng(0)
    for name in ("it's one.csv", "two.csv"):
        np.savetxt(tmp_path / name, drawn.normal(size=(60, 3)), delimiter=",", header=f"{name[0]},b,c", comments="")
    files = [str(tmp_path / name) for name in ("it's one.csv", "two.csv")]
    document = opened(files)
    first, second = document.data.view_names
    commands.set_preprocess(document, second, "zscore")
    commands.apply_weights(document, first, [1.0, 2.0, 0.5])
    for panel in document.state.panels:
        check(document, panel)


def test_what_cannot_be_written_down_says_so():
    document = Document()
    data = MultiView([np.random.default_rng(0).normal(size=(30, 2))] * 2)
    document.reset(commands.initial_state(data, ("memory",), None), data)
    with pytest.raises(DataError, match="came from no file"):
        panel_script(document.state, data, document.state.panels[0])
    with pytest.raises(MVExplorerError, match="There is no data"):
        panel_script(document.state, None, document.state.panels[0])
