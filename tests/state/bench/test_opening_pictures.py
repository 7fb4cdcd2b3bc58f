"""The pictures that UCI digits opens with live, and what its offer says is true."""

import pytest

from mvexplorer.datasets.catalogue import find_sample, open_sample
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document


@pytest.fixture
def opened(step):
    """Every so-and-so-many-th digit."""
    document = Document()
    data = open_sample("uci-digits")
    data = data.take(range(0, data.n_samples, step)) if step > 1 else data
    document.reset(commands.initial_state(data, ("uci-digits",), find_sample("uci-digits")), data)
    return document


in_part_and_nightly_in_full = pytest.mark.parametrize(
    "step", [5, pytest.param(1, marks=[pytest.mark.nightly, pytest.mark.slow])]
)


@in_part_and_nightly_in_full
def test_uci_digits_opens_where_pictures_live(opened):
    found = compute(opened.state, opened.data)
    assert not found.failed
    assert {r.drawing.taken for r in found.results.values()} == {()}


@in_part_and_nightly_in_full
def test_with_all_six_views_at_a_ninth_of_the_median_multi_view_is_best(opened, step):
    also = find_sample("uci-digits").open.also
    commands.show_views(opened, also.views, also.epsilon)
    found = compute(opened.state, opened.data)
    nmi = {p.method: found.results[p.id].scores.nmi.value for p in opened.state.panels}
    best, second = sorted(nmi.values(), reverse=True)[:2]
    assert best == nmi["multiview"]
    if step == 1:
        assert f"NMI {best:.2f}".replace("0.", ".") in also.words
        assert best - second > 0.05
        assert nmi["kernel-product"] < 0.2
