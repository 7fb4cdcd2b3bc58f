"""The spectra of many panels in one plot: told apart, named once, and the focused panel's in front."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.pages.spectrum import Spectrum, SpectrumPage

pytestmark = pytest.mark.panels(3)

IDS = [f"p{i + 1}" for i in range(12)]


def decaying(rate: float, n: int = 8) -> np.ndarray:
    return np.exp(-rate * np.arange(n))


@pytest.fixture
def page(app, qtbot):
    bench = Workbench(Settings(), keeps_settings=False)
    made = SpectrumPage(bench)
    qtbot.addWidget(made)
    made.resize(900, 240)
    made.show()
    made.soon.stop()
    yield made
    made.soon.stop()
    bench.controller.shutdown()


def show(page: SpectrumPage, spectra: dict[str, Spectrum]) -> None:
    page.show_spectra(spectra, list(spectra))


def looks(page: SpectrumPage) -> dict[str, tuple[str, str]]:
    return {id: (c.opts["pen"].color().name(), c.opts["symbol"]) for id, c in page._curves.items()}


def names(page: SpectrumPage) -> dict[str, str]:
    """The legend as it is read, by panel."""
    return {id: key._name.text() for id, key in page._keys.items() if not key.isHidden()}


def test_twelve_panels_have_twelve_colours_and_several_markers(page):
    show(page, {id: Spectrum(f"Method {id}", decaying(0.1 * i + 0.1)) for i, id in enumerate(IDS)})
    seen = looks(page)
    assert len({color for color, _ in seen.values()}) == 12
    assert len({symbol for _, symbol in seen.values()}) >= 6
    assert len(set(names(page).values())) == 12


def test_a_panel_keeps_its_look_and_a_new_one_takes_a_free_one(page):
    spectra = {id: Spectrum(id, decaying(0.1 * i + 0.1)) for i, id in enumerate(IDS)}
    show(page, spectra)
    before = looks(page)
    page.show_spectra({"p5": spectra["p5"]}, IDS)  # the others are being computed
    assert looks(page) == {"p5": before["p5"]}
    del spectra["p3"]
    spectra["p27"] = Spectrum("p27", decaying(2.0))
    show(page, spectra)
    after = looks(page)
    assert after.pop("p27") == before.pop("p3")
    assert after == before


def test_equal_spectra_are_one_entry(page):
    """Two views: de Sa and multi-view have the same eigenvalues up to rounding."""
    same = decaying(0.3)
    show(page, {
        "p1": Spectrum("de Sa", same), "p2": Spectrum("Kernel sum", decaying(0.3, 7)),
        "p3": Spectrum("Multi-view", same * (1.0 + 5e-7)), "p4": Spectrum("Product", same + 1e-4),
    })  # fmt: skip
    assert list(names(page)) == ["p1", "p2", "p4"]
    assert page._keys["p1"].text() == "● de Sa = Multi-view"
    assert looks(page)["p1"] == looks(page)["p3"]
    assert "first gap" in page._keys["p1"]._name.toolTip()


def test_spectra_of_another_size_are_divided_and_say_so(page):
    show(page, {"p1": Spectrum("PCA", 1e-7 * decaying(0.2)), "p2": Spectrum("Sum", 40.0 * decaying(0.2))})
    assert page._keys["p2"].text().endswith("Sum (÷ 40.0)")
    assert page._curves["p2"].getData()[1].max() == pytest.approx(1.0)
    assert page._keys["p1"].text().endswith("PCA")


def test_names_are_never_cut_to_equal_texts(page):
    long = "Single · " + "measurements_of_the_" * 4
    show(page, {
        "p1": Spectrum(f"{long}left_channel_{'x' * 40}", decaying(0.1)),
        "p2": Spectrum(f"{long}right_channel_{'x' * 40}", decaying(0.2)),
        "p3": Spectrum("Kernel sum", decaying(0.3)), "p4": Spectrum("Kernel sum", decaying(0.4)),
    })  # fmt: skip
    assert len(set(names(page).values())) == 4
    assert all(name for name in names(page).values())


def test_copies_of_panels_with_long_names_are_counted(page):
    """Their names would be cut to one that reads as the second copy alone."""
    long = [f"Single · bc_{which}_measurements" for which in ("mean", "standard_error", "worst")]
    show(page, {
        **{f"p{i}": Spectrum(title, decaying(0.1 * i + 0.1)) for i, title in enumerate(long)},
        **{f"p{i + 3}": Spectrum(f"{title} (2)", decaying(0.1 * i + 0.1)) for i, title in enumerate(long[:2])},
        "p6": Spectrum("Multi-view", decaying(0.7)), "p7": Spectrum("Multi-view (2)", decaying(0.7)),
    })  # fmt: skip
    read = list(names(page).values())
    assert len(set(read)) == 4
    assert [name.endswith(" and 1 more") for name in read] == [True, True, False, False]
    assert all("(2)" not in name and name.count("…") <= 1 for name in read[:3])
    assert all(name.startswith("Single · bc_") for name in read[:3])
    assert read[3] == "Multi-view = Multi-view (2)"


def test_a_long_name_alone_keeps_both_ends(page):
    show(page, {"p1": Spectrum("Single · habitats_of_the_northern_region_2024_final_v3", decaying(0.1))})
    (name,) = names(page).values()
    assert name.startswith("Single · ha")
    assert name.endswith("final_v3")


def test_names_stand_in_a_column(page):
    show(page, {id: Spectrum(f"Method {id}", decaying(0.1 * i + 0.1)) for i, id in enumerate(IDS)})
    QApplication.processEvents()
    page.soon.stop()
    assert len({key._name.x() for key in page._keys.values()}) == 1


def test_the_focused_panel_is_in_front(page):
    spectra = {id: Spectrum(id, decaying(0.1 * i + 0.1)) for i, id in enumerate(IDS[:3])}
    show(page, spectra)
    widths = {id: c.opts["pen"].widthF() for id, c in page._curves.items()}
    assert len(set(widths.values())) == 1
    page._workbench.editor.focus("p2")
    assert page.soon.isActive()
    show(page, spectra)
    wide = {id for id, c in page._curves.items() if c.opts["pen"].widthF() > widths[id]}
    assert wide == {"p2"}
    assert page._curves["p2"].zValue() > page._curves["p1"].zValue()
    assert "600" in page._keys["p2"]._name.styleSheet()


def test_a_click_on_a_curve_focuses_its_panel(page):
    show(page, {"p1": Spectrum("a", decaying(0.1)), "p2": Spectrum("b", decaying(1.0))})
    box = page.plot.getPlotItem().vb
    box.updateViewRange()
    x, y = page._curves["p2"].getData()
    assert page.picker.at(box.mapViewToScene(QPointF(x[1], y[1]))) == ("p2", 1)
    page.picker.chosen.emit("p2", 1)
    assert page._workbench.editor.focused == "p2"


def test_a_page_without_a_spectrum_says_so(page):
    page.refresh()
    assert page.nothing.isVisible()
    assert page.nothing.text()
    assert not page.plot.isVisible()
    show(page, {"p1": Spectrum("Single", decaying(0.1))})
    assert page.plot.isVisible()
    assert not page.nothing.isVisible()
