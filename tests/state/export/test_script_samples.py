"""The script of every sample, as the window opens it, makes the same arrays, scores, colours and selection."""

import pytest
from scripted import check_script, document_of

import mvexplorer as mvx
from mvexplorer.state.document import commands

SLOW = {
    "uci-digits",
    "coupled-circles",
    "noisy-digits",
    "touching-rolls",
    "gap-rolls",
    "rotated-rolls",
    "helix-b",
    "gaussian-mixture",
    "two-squares",
    "seismic-events",
    "pendulums",
    "rotating-icons",
    "shared-latent",
}
"""These take several times as long as all the others together."""


@pytest.mark.parametrize(
    "sample",
    [pytest.param(s.id, marks=[pytest.mark.nightly] if s.id in SLOW else []) for s in mvx.samples()],
)
def test_its_script_makes_the_same(sample, tmp_path):
    document = document_of(sample)
    commands.select(document, range(3, document.data.n_samples, 7))
    text, _ = check_script(document, tmp_path / "script.py")
    assert f'data = mvx.load("{sample}")' in text
    assert "Path" not in text
    assert "preprocess" not in text  # a sample has its own
