"""The left and right side call the editor: what each gesture asks for, with an editor that only listens."""

from unittest.mock import call

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from windows import advice_of, laid_out, submenus

from mvexplorer.engine.methods import get_method
from mvexplorer.state.document import commands
from mvexplorer.ui.appearance.dock import AppearanceDock
from mvexplorer.ui.controls.dock import ControlsDock
from mvexplorer.ui.controls.parameter_rows import ParamRow, Section, named
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.slider import Mark

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dock(app, qtbot, controller, editor):
    made = ControlsDock(controller, editor, advice_of(controller, editor))
    qtbot.addWidget(made)
    made.show_state(controller.document.state)
    made.show()
    return made


def test_a_slider_dragged_sets_the_epsilon_until_it_is_let_go(dock, editor):
    slider = dock.rows["plain"].slider
    slider.moved.emit(0.25)
    slider.moved.emit(0.5)
    slider.released.emit()
    assert editor.mock_calls == [
        call.set_epsilon("plain", 0.5, interactive=True),  # 0.25 of the median 2
        call.set_epsilon("plain", 1.0, interactive=True),
        call.end_drag(),
    ]


def test_rules_marks_and_numbers_are_edits_of_their_own(dock, editor):
    row = dock.rows["plain"]
    row.slider.reset.emit()
    row.slider.mark_clicked.emit(next(letter for letter, rule in row._marks.items() if rule == "median"))
    row.field.entered.emit("0.75")
    editor.set_epsilon.return_value = False
    row.field.entered.emit("nonsense")
    assert editor.mock_calls == [
        call.set_epsilon("plain", "robust"), call.set_rule("plain", "median"), call.set_epsilon("plain", 0.75),
        call.set_epsilon("plain", "nonsense"),
    ]  # fmt: skip
    assert row.field.property("wrong")


def test_field_and_slider_mean_the_epsilon_in_use_whatever_the_factor(dock, controller, editor):
    """Both show ε times the factor on all ε; the edit is of the ε that the factor multiplies."""
    document, row = controller.document, dock.rows["plain"]
    document.state = document.state.model_copy(update={"epsilon_scale": 4.0})
    dock.show_state(document.state)
    assert float(row.field.text()) == pytest.approx(4.0 * controller.epsilon("plain"), rel=1e-3)
    assert float(row._sigma.text().removeprefix("σ ")) == pytest.approx(float(row.field.text()) ** 0.5, rel=1e-2)
    row.field.entered.emit("3")
    row.slider.moved.emit(0.25)  # 0.5 in use: the median is 2
    assert editor.mock_calls == [
        call.set_epsilon("plain", 0.75), call.set_epsilon("plain", 0.125, interactive=True),
    ]  # fmt: skip


def test_views_and_the_master_slider(dock, editor):
    QTest.mouseClick(dock.rows["wavy"].link, LEFT)
    dock.rows["wavy"].check.setChecked(False)
    dock.master.moved.emit(2.0)
    dock.master.released.emit()
    dock.use_all.click()
    assert editor.mock_calls == [
        call.set_linked("wavy", False), call.enable_view("wavy", False), call.set_scale(2.0, interactive=True),
        call.end_drag(), call.enable_all_views(),
    ]  # fmt: skip


class Painted(QObject):
    """Notes which widgets are painted, and which ones are laid out anew."""

    def __init__(self, widget):
        super().__init__(widget)
        self.painted, self.laid_out = set(), set()
        for each in (widget, *widget.findChildren(QWidget)):
            each.installEventFilter(self)

    def eventFilter(self, widget, event):
        noted = {QEvent.Type.Paint: self.painted, QEvent.Type.LayoutRequest: self.laid_out}.get(event.type())
        if noted is not None:
            noted.add(widget)
        return False


def test_a_drag_of_all_bandwidths_draws_anew_only_what_it_moves(dock, controller, qtbot):
    """Sixty times a second: a field whose number stays, or the row of an unticked view, costs nothing."""
    commands.tick_view(controller.document, "wavy", False)
    drawn = Painted(dock)
    dock.show_state(controller.document.state)
    laid_out()
    drawn.painted.clear()
    drawn.laid_out.clear()
    commands.set_scale(controller.document, 1.5)
    dock.show_state(controller.document.state)
    moving, still = dock.rows["plain"], dock.rows["wavy"]
    follow = {dock.master, dock.master_field, moving.slider, moving.field}
    qtbot.waitUntil(lambda: follow <= drawn.painted)
    laid_out()
    assert not drawn.painted & {still.check, *(row.field for row in dock.params.values())}
    assert still not in drawn.laid_out


def test_marks_that_stay_lay_nothing_out_anew(dock, qtbot):
    dock.resize(292, 656)  # in less height the factor on all ε has no marks
    slider = dock.master
    laid_out()
    drawn = Painted(slider.parentWidget())
    slider.set_marks(slider._marks)
    slider.set_scale(slider.scale)
    laid_out()
    assert not drawn.painted | drawn.laid_out
    slider.set_marks((Mark(2.0, "2", "Twice"),))
    qtbot.waitUntil(lambda: slider in drawn.painted)
    laid_out()
    assert not drawn.laid_out


def test_parameters(dock, editor):
    slider = dock.params["t"].slider
    slider.moved.emit(3.0)
    slider.released.emit()
    assert editor.mock_calls == [call.set_param("t", 3, interactive=True), call.end_drag()]


def test_unfolding_a_slider_asks_for_its_curve(dock, editor, qtbot):
    with qtbot.waitSignal(dock.curves_wanted) as asked:
        dock.rows["wavy"].unfold.click()
    assert asked.args == ["wavy"]
    assert editor.mock_calls == []


def test_the_right_side(app, qtbot, controller, editor):
    dock, document = AppearanceDock(editor), controller.document
    qtbot.addWidget(dock)
    commands.select(document, (1, 2))
    dock.show_state(document.state, document.data, None, {})
    dock.sources.activated.emit(dock.sources.findData("column:batch"))
    dock.point_size.moved.emit(7.123)
    dock.point_size.released.emit()
    dock.opacity.reset.emit()
    dock.selections.export.click()
    dock.clear.click()
    assert editor.mock_calls == [
        call.colour_by("column:batch"), call.style_points(point_size=7.12), call.end_drag(),
        call.style_points(opacity=0.9), call.export_wanted.emit("selection"), call.select(()),
    ]  # fmt: skip


def handles(dock) -> bool:
    """Whether the slider of a view shows a handle."""
    picture, accent = dock.rows["plain"].slider.grab().toImage(), theme.current().accent
    return any(picture.pixelColor(x, 11).name() == accent for x in range(picture.width()))


def test_a_slider_shows_no_handle_before_its_value_is_known(app, qtbot, controller, editor):
    known = dict(controller.summaries)
    controller.summaries.clear()
    dock = ControlsDock(controller, editor, advice_of(controller, editor))
    qtbot.addWidget(dock)
    dock.show_state(controller.document.state)
    dock.show()
    slider = dock.rows["plain"].slider
    assert not handles(dock)
    QTest.mouseClick(slider, LEFT, pos=slider.rect().center())
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert not editor.set_epsilon.called
    controller.summaries.update(known)
    dock.show_state(controller.document.state)
    assert handles(dock)


def test_the_head_of_a_section_names_all_its_methods_where_they_fit(app, qtbot):
    param = next(p for p in get_method("single").params if p.symbol)
    section = Section("Local CCA, Kernel CCA", [ParamRow(param, 12)], True, lambda _: None)
    qtbot.addWidget(section)
    section.resize(300, 60)
    section.show()
    assert section.head.text() == "Local CCA and Kernel CCA"
    section.resize(150, 60)
    assert section.head.text() == "Local CCA and 1 more"
    assert "Local CCA, Kernel CCA" in section.head.toolTip()
    assert named(["one", "two", "three"], 13, len) == "one and 2 more"
    assert named(["one", "two", "three"], 18, len) == "one, two and three"
    assert named(["alone"], 1, len) == "alone"


def test_the_menu_of_a_view_offers_what_its_features_admit(dock, editor, controller):
    features = min(controller.document.data.Xs[0].shape)
    menu = dock.rows["plain"].how.menu()
    named = {action.text(): action for action in menu.actions()}
    assert [words for words in named if words][1:6] == ["raw", "centred", "z-scored", "unit range", "log(1 + x)"]
    named["unit range"].trigger()
    named["log(1 + x)"].trigger()
    counts = submenus(menu)["Principal components"].actions()
    assert [action.text() for action in counts] == [f"PCA to {k}" for k in (2, 5, 10, 20, 50, 100) if k <= features]
    counts[0].trigger()
    assert editor.mock_calls == [call.set_preprocess("plain", how) for how in ("unit", "log1p", "pca:2")]
    assert all(action.toolTip() for action in named.values() if action.text())


def test_the_menu_ticks_a_number_of_components_of_its_own(dock, controller):
    document = controller.document
    commands.set_preprocess(document, "plain", "pca:1")
    dock.show_state(document.state)
    row = dock.rows["plain"]
    assert row.how.accessibleName() == "Features PCA to 1, Gaussian kernel"
    counts = submenus(row.how.menu())["Principal components"].actions()
    assert [action.text() for action in counts if action.isChecked()] == ["PCA to 1"]
