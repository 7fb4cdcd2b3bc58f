"""Null tests in the plot of spectra: their bands stand beside the curve, and go once they answer another question."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from mvexplorer.state.batches.check_words import null_outdated


@pytest.fixture
def tested(window, rest):
    """The window with the null test of its multi-view panel run from the page, and the spectra shown."""
    id = next(p.id for p in window.document.state.panels if p.method == "multiview")
    window.editor.choose_checks(shuffle="rows", runs=10, view="")
    window.editor.focus(id)
    page = window.bottom.show_page("validate")
    rest(window)
    page.null.run.click()
    rest(window)
    assert page.null.run.text() == "Run 9 more (19 in all)"
    spectrum = window.bottom.show_page("spectrum")
    spectrum.refresh()
    yield window, id, page, spectrum
    spectrum.log.setChecked(False)
    window.workbench.checks._series.pop(id, None)
    window.editor.focus("")


def drawn(spectrum):
    """The places, the lower and the upper edge of the only band, as the plot has them."""
    (band,) = [each.band for each in spectrum.plot.figure.body.series if each.band is not None]
    return band.T


def test_its_band_is_drawn_where_the_eigenvalues_are_and_named(tested):
    window, id, _, spectrum = tested
    shown = spectrum.bands.shown[id]
    found, values = window.workbench.checks.of(id).null, window.controller.result(id).result.embedding.eigenvalues
    view = shown.name.partition(" shuffled")[0]
    band = found[view]
    low, high = np.percentile(band.shuffled_eigenvalues, (5, 95), axis=0)
    assert np.allclose(values[shown.first : shown.first + len(low)], band.eigenvalues, rtol=1e-3)
    assert shown.first == 1  # the trivial eigenvalue is not tested
    places, *edges = drawn(spectrum)
    assert places[0] == 1
    np.testing.assert_allclose(edges, (low, high))
    assert spectrum.bands.keys[id].text() == f"■ {view} shuffled, 5–95 % of 10 runs"
    spectrum.log.setChecked(True)
    spectrum.refresh()
    np.testing.assert_allclose(drawn(spectrum)[1], low.clip(1e-12))


def test_a_method_that_knows_what_is_chance_has_its_band_and_counts_what_is_common(window, rest):
    window.behaviour.add_panel("jointly-smooth")
    rest(window)
    id = window.document.state.panels[-1].id
    window.editor.focus(id)
    spectrum = window.bottom.show_page("spectrum")
    spectrum.refresh()
    embedding = window.controller.result(id).result.embedding
    places, low, high = drawn(spectrum)
    np.testing.assert_array_equal(places, np.arange(1, len(embedding.eigenvalues)))
    np.testing.assert_allclose(high, embedding.info["common_band"])
    assert low.max() <= min(0.0, embedding.eigenvalues.min())
    count = int(embedding.info["common_functions"])
    assert spectrum.bands.keys[id].text().startswith(f"■ {count} common function")
    panel = window.grid.panels[id]
    assert panel._pins.wordings[0].startswith(f"{count} common function")
    panel.show_card()
    card = QApplication.activePopupWidget()
    assert f"{count} common function" in card.page.toPlainText()
    assert "the most that views shifted in time reach" in card.page.toPlainText()
    card.close()
    window.editor.set_param("n_smooth", 6)
    rest(window)
    spectrum.refresh()
    other = window.controller.result(id).result.embedding.info["common_band"]
    assert other != embedding.info["common_band"]
    np.testing.assert_allclose(drawn(spectrum)[2], other)
    window.document.undo()
    window.document.undo()
    window.editor.focus("")


@pytest.mark.nightly
def test_bands_of_other_settings_are_gone_at_once(tested, rest):
    window, id, _, spectrum = tested
    footer = window.grid.panels[id].chance
    assert id in spectrum.bands.shown
    assert footer.wordings[0]

    def gone():
        spectrum.refresh()
        return not spectrum.bands.shown and not spectrum.bands.keys and not footer.wordings[0]

    window.editor.choose_checks(shuffle="circular")
    assert gone()
    window.document.undo()
    assert not gone()
    window.editor.set_epsilon("plain", 0.3)
    assert gone()
    window.document.undo()
    rest(window)
    assert not gone()


def test_a_score_of_another_column_outdates_the_test_of_the_former(window, rest):
    from windows import show_fresh, small_data

    show_fresh(window, small_data(labels=False).replace(columns={"weight": np.linspace(0.0, 2.0, 48) ** 2}))
    rest(window)
    id = next(p.id for p in window.document.state.panels if p.method == "multiview")
    checks = window.workbench.checks
    checks.null_test(id, "plain", 2)
    rest(window)
    assert not null_outdated(checks.of(id), "rows")
    window.editor.colour_by("column:weight")
    assert null_outdated(checks.of(id), "rows")
    window.editor.colour_by("latent:angle")
    assert not null_outdated(checks.of(id), "rows")
