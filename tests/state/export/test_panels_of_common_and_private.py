"""Everywhere a panel goes: what is common, private and different, in scripts, sessions, sweeps, pages and files."""

import numpy as np
import pytest
from scripted import check_script, document_of

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.live import MovingPicture, StopPictures
from mvexplorer.engine.core.task import Task
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.export.live_panels import LivePanelsJob
from mvexplorer.state.session.session import open_session, save_session

PINS = {
    "jointly-smooth": {"n_smooth": 10},
    "view-specific": {"of": "b", "beyond": "a", "n_smooth": 8},
    "difference": {"match_reach": False},
    "alternating": {"symmetric": True},
}
"""The methods, at settings that are not theirs by default."""


@pytest.fixture
def document(tmp_path):
    """A document of two tori in a file, with a panel of each method."""
    tori = mvx.datasets.make_tori(n_samples=120)
    np.savez(tmp_path / "tori.npz", a=tori.Xs[0], b=tori.Xs[1])
    document = document_of(str(tmp_path / "tori.npz"))
    document.reset(document.state.model_copy(update={"panels": ()}), document.data)
    for method, pins in PINS.items():
        commands.add_panel(document, method)
        id = document.state.panels[-1].id
        for name, value in pins.items():
            if name == "of":
                commands.change_panel(document, id, "Change", view=value)
            elif name != "beyond":  # all others
                commands.pin(document, id, name, value)
    return document


def embedded(document):
    finished = compute(document.state, document.data)
    return {panel.method: finished.results[panel.id].result.embedding for panel in document.state.panels}


def test_a_script_makes_the_same_pictures(document, tmp_path):
    text, _ = check_script(document, tmp_path / "s.py")
    for words in ("n_smooth=10", "n_smooth=8", "match_reach=False", "symmetric=True"):
        assert words in text
    assert embedded(document)["view-specific"].views == ("b", "a")


def test_a_session_keeps_them_as_they_are(document, tmp_path):
    save_session(tmp_path / "s.mvx.json", document.state, document.data, "1.0")
    opened = open_session(tmp_path / "s.mvx.json")
    assert opened.state.panels == document.state.panels
    before = embedded(document)
    finished = compute(opened.state, opened.data)
    for panel in opened.state.panels:
        after = finished.results[panel.id].result.embedding
        np.testing.assert_array_equal(after.coordinates, before[panel.method].coordinates)


def test_they_are_what_embed_computes_and_pictures_of_them_are_compared(document):
    found = embedded(document)
    for method, e in found.items():
        expected = mvx.embed(document.data, method, epsilon=dict(zip(e.views, e.epsilon, strict=True)), **e.params)
        np.testing.assert_allclose(e.coordinates, expected.coordinates, rtol=0, atol=1e-9)
    matrix = mvx.agreement([*found.values()]).matrix
    assert np.isfinite(matrix).all()
    assert (matrix[np.triu_indices(4, 1)] > 0).all()


@pytest.mark.nightly
def test_a_live_page_has_exact_answers_or_certified_ones(document):
    finished = compute(document.state, document.data)
    live = LivePanelsJob(finished.state, finished.data, finished.results).run(StageCache(), Task())
    stops = [panel.method for panel in document.state.panels if isinstance(live.panels[panel.id].picture, StopPictures)]
    assert stops == ["jointly-smooth", "view-specific", "difference"]
    assert isinstance(live.panels[document.state.panels[3].id].picture, MovingPicture)


@pytest.mark.parametrize(
    ("method", "grid"),
    [
        ("jointly-smooth", {"n_smooth": [5, 10]}),
        ("view-specific", {"n_smooth": [5, 10]}),
        ("difference", {"match_reach": [True, False]}),
        ("alternating", {"symmetric": [True, False]}),
    ],
)
def test_a_sweep_goes_over_what_is_their_own(document, method, grid):
    cells = mvx.sweep(document.data, method, {"epsilon_scale": [0.5, 1.0], **grid}, scores=["trustworthiness"])
    assert len(cells) == 4
    (name,) = grid
    for row in cells.to_dicts():
        epsilon = dict(zip(row["views"].split(","), row["epsilon"], strict=True))
        e = mvx.embed(document.data, method, epsilon=epsilon, **{name: row[name]})
        score = mvx.label_free(e, document.data).each()["trustworthiness"].value
        assert row["trustworthiness"] == pytest.approx(score, abs=1e-9)


def test_their_coordinates_are_written_and_read(document, tmp_path):
    for method, e in embedded(document).items():
        e.save(tmp_path / f"{method}.npz")
        with np.load(tmp_path / f"{method}.npz") as file:
            np.testing.assert_array_equal(file["coordinates"], e.coordinates)


@pytest.mark.parametrize("method", PINS)
def test_the_command_line_takes_their_own_settings(method, tmp_path, document, capsys):
    settings = [text for name, value in PINS[method].items() for text in ("--set", f"{name}={value}".lower())]
    assert main(["embed", str(tmp_path / "tori.npz"), "--method", method, *settings, "--set", "epsilon=median"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    e = mvx.embed(document.data, method, epsilon="median", **PINS[method])
    written = np.array([row.split(",")[1:] for row in rows], float)
    np.testing.assert_allclose(written, e.coordinates, rtol=0, atol=1e-9)
