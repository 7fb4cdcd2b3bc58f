"""The pictures that UCI digits opens with live, and what its offer says is true."""

import pytest

from mvexplorer.datasets.catalogue import find_sample, open_sample
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document

pytestmark = pytest.mark.slow


@pytest.fixture
def opened():
    document = Document()
    data = open_sample("uci-digits")
    document.reset(commands.initial_state(data, ("uci-digits",), find_sample("uci-digits")), data)
    return document


def test_uci_digits_opens_where_pictures_live(opened):
    found = compute(opened.state, opened.data)
    assert not found.failed
    assert {r.drawing.taken for r in found.results.values()} == {()}


def test_with_all_six_views_at_a_ninth_of_the_median_multi_view_is_best(opened):
    also = find_sample("uci-digits").open.also
    commands.show_views(opened, also.views, also.epsilon)
    found = compute(opened.state, opened.data)
    nmi = {p.method: found.results[p.id].scores.nmi.value for p in opened.state.panels}
    best, second = sorted(nmi.values(), reverse=True)[:2]
    assert best == nmi["multiview"]
    assert f"NMI {best:.2f}".replace("0.", ".") in also.words
    assert f"next {second:.2f}".replace("0.", ".") in also.words
    assert nmi["kernel-product"] < 0.2
