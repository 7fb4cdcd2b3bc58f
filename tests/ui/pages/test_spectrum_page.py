"""The spectra of many panels in one plot: told apart, named once, and the focused panel's in front."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from mvexplorer.figures import Series
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.pages.spectrum import Spectrum, SpectrumPage
from mvexplorer.ui.widgets.plots.looks import curve_look

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


def curves(page: SpectrumPage) -> dict[str, Series]:
    """The curves drawn, by the first panel of each."""
    return dict(zip(page._firsts, page.plot.figure.body.series, strict=True))


def looks(page: SpectrumPage) -> dict[str, int]:
    return {id: curve.look for id, curve in curves(page).items()}


def names(page: SpectrumPage) -> dict[str, str]:
    """The legend as it is read, by panel."""
    return {id: key._name.text() for id, key in page._keys.items() if not key.isHidden()}


def test_twelve_panels_have_twelve_colours_and_several_markers(page):
    show(page, {id: Spectrum(f"Method {id}", decaying(0.1 * i + 0.1)) for i, id in enumerate(IDS)})
    seen = [curve_look(look) for look in looks(page).values()]
    assert len({look.color for look in seen}) == 12
    assert len({look.symbol for look in seen}) >= 6
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
    assert list(curves(page)) == ["p1", "p2", "p4"]
    assert "first gap" in page._keys["p1"]._name.toolTip()


def test_spectra_of_another_size_are_divided_and_say_so(page):
    show(page, {"p1": Spectrum("PCA", 1e-7 * decaying(0.2)), "p2": Spectrum("Sum", 40.0 * decaying(0.2))})
    assert page._keys["p2"].text().endswith("Sum (÷ 40.0)")
    assert curves(page)["p2"].y.max() == pytest.approx(1.0)
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
    assert not any(curve.front for curve in curves(page).values())
    page._workbench.editor.focus("p2")
    assert page.soon.isActive()
    show(page, spectra)
    assert [id for id, curve in curves(page).items() if curve.front] == ["p2"]
    assert "600" in page._keys["p2"]._name.styleSheet()


def test_the_curve_in_front_is_painted_thick_and_over_the_others(page):
    """The two curves lie on each other at their first point."""
    spectra = {"p1": Spectrum("a", decaying(0.1)), "p2": Spectrum("b", decaying(1.0))}
    show(page, spectra)
    x, y = map(int, page.plot.places(0)[0])
    for id in spectra:
        page._workbench.editor.focus(id)
        show(page, spectra)
        spot = page.plot.grab().toImage().pixelColor(x, y)
        assert spot.name() == curve_look(looks(page)[id]).color


def test_a_click_on_a_curve_focuses_its_panel(page, qtbot):
    show(page, {"p1": Spectrum("a", decaying(0.1)), "p2": Spectrum("b", decaying(1.0))})
    spot = QPointF(*page.plot.places(1)[1])
    assert page.plot.point_at(spot) == (1, 1)
    assert page.plot.point_at(spot + QPointF(0, 13)) is None
    none, over = Qt.MouseButton.NoButton, page.plot.mapToGlobal(spot)
    moved = QMouseEvent(QEvent.Type.MouseMove, spot, over, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(page.plot, moved)
    assert page.plot.cursor().shape() == Qt.CursorShape.PointingHandCursor
    qtbot.mouseClick(page.plot, Qt.MouseButton.LeftButton, pos=spot.toPoint())
    assert page._workbench.editor.focused == "p2"


def test_eigenvalues_of_nothing_are_clipped_in_the_picture_and_not_in_the_numbers(page):
    page.log.setChecked(True)
    show(page, {"p1": Spectrum("a", np.array([1.0, 0.5, 1e-300, -1e-17]))})
    assert list(curves(page)["p1"].y) == [1.0, 0.5, 1e-12, 1e-12]
    (figure,) = page.figures()
    assert list(figure.columns["a"]) == [1.0, 0.5, 1e-300, -1e-17]


def test_a_page_without_a_spectrum_says_so(page):
    page.refresh()
    assert page.nothing.isVisible()
    assert page.nothing.text()
    assert not page.plot.isVisible()
    show(page, {"p1": Spectrum("Single", decaying(0.1))})
    assert page.plot.isVisible()
    assert not page.nothing.isVisible()
