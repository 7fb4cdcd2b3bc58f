"""Lists whose length comes from the data: what they cost is what is in sight."""

from __future__ import annotations

from unittest.mock import create_autospec

import numpy as np
import pytest
from counted import PACKAGE, cost, counted_calls
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QWidget
from windows import show_fresh

from mvexplorer.engine.bandwidth.manifold_scaling import ManifoldScaling
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document import commands
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.questions.view_additions import Additions
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.appearance.dock import MOST, AppearanceDock
from mvexplorer.ui.appearance.legend_list import LegendList
from mvexplorer.ui.pages.feature_weights import WeightModel
from mvexplorer.ui.pages.views.views import ViewsPage
from mvexplorer.ui.widgets.text_table import TextTable

FEW, MANY = 1_000, 9_999  # as many digits, so that names are cut alike


@pytest.fixture
def legend(app, qtbot) -> LegendList:
    legend = LegendList()
    qtbot.addWidget(legend)
    legend.resize(190, 300)
    legend.show_colouring(Colouring("two classes", np.arange(2), ("a", "b")), (), ())
    legend.show()
    QApplication.processEvents()
    return legend


def test_a_legend_costs_as_much_for_many_classes_as_for_few(legend):
    costs = []
    for n in (FEW, MANY):
        names = tuple(f"a species with a very long name, number {k:05}" for k in range(n))
        colouring = Colouring(f"{n} classes", np.arange(n), names)
        costs += [
            cost(legend, lambda c=colouring: legend.show_colouring(c, (), ())),
            cost(legend, lambda c=colouring: legend.show_colouring(c, (), (1, 2, 3))),
            cost(legend, lambda c=colouring: legend.show_colouring(c, c.classes[3:], (1, 2, 3))),
            cost(legend, legend.classes.scrollToBottom),
        ]
        assert legend.classes.written(n - 1).endswith(f"{n - 1:05}")
    for few, many in zip(costs[:4], costs[4:], strict=True):
        assert many[0] <= few[0]
        assert many[1] <= 1.2 * few[1]  # other letters are cut elsewhere, and what waited in the window runs as well


@pytest.mark.parametrize(("n_views", "n_columns"), [(2, 20_000), (400, 20)])
def test_as_many_colourings_are_listed_of_many_features_as_of_few(app, qtbot, n_views, n_columns):
    """Of hundreds of views, too: each is there, and the rest is found by typing."""
    dock = AppearanceDock(create_autospec(Editor, instance=True))
    qtbot.addWidget(dock)
    data = MultiView({f"v{i}": np.zeros((4, n_columns)) for i in range(n_views)})
    state = commands.initial_state(data, ("memory",), None)
    with counted_calls(PACKAGE) as calls:
        dock.show_state(state, data, None, {})
        dock.sources.showPopup()
    assert dock.sources.count() <= 2 * MOST
    assert dock.sources.popup.list.count() <= 2 * MOST
    assert calls[0] <= 60 * MOST
    dock.sources.popup.search.setText(f"v1 {n_columns}")
    listed = dock.sources.popup.list
    assert f"v1, feature {n_columns}" in [listed.item(row).text() for row in range(listed.count())]
    dock.sources.popup.close()


def test_the_table_of_feature_weights_costs_as_much_for_many_features_as_for_few(app, qtbot):
    costs = []
    for n in (FEW, 100 * FEW):
        model, random = WeightModel(), np.random.default_rng(0)
        table = TextTable(model, "weights", (150, 210, 90, 150), 3)
        table.setSortingEnabled(True)
        qtbot.addWidget(table)
        table.resize(640, 400)
        found = create_autospec(ManifoldScaling, instance=True)
        found.weights, found.spread, found.scores = random.uniform(size=(3, n))
        costs.append(cost(table, lambda model=model, found=found: model.show(found, str)))
        for column, values in enumerate((np.arange(n), found.weights * found.spread, found.weights, found.scores)):
            table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
            first = int(model.cell(0, 0))
            assert values[first] == values.max()
            table.sortByColumn(column, Qt.SortOrder.AscendingOrder)
            assert values[int(model.cell(0, 0))] == values.min()
    assert costs[1][0] == costs[0][0]
    assert costs[1][1] <= 1.1 * costs[0][1]  # the rows in sight may be others


def test_the_page_of_views_has_rows_of_those_in_sight(app, qtbot):
    page = ViewsPage(bench := Workbench(Settings(), keeps_settings=False))
    qtbot.addWidget(page)
    page.resize(1000, 300)
    with qtbot.waitExposed(page):
        page.show()
    page.split.show()  # as once there is an answer
    counts = []
    for n in (FEW // 10, FEW // 2):
        names = tuple(f"view {i}" for i in range(n))
        counts.append(cost(page, lambda names=names: page._show_views(Additions(views=names)))[0])
    assert counts[1] <= counts[0]
    bar = page.area.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert names[-1] in page.parts
    bench.controller.shutdown()


@pytest.mark.nightly
@pytest.mark.parametrize("part", ["views", "columns", "classes"])
def test_a_window_has_as_many_widgets_for_much_data_as_for_little(make_window, rest, part):
    """With every page shown: what is in sight is the same."""
    window, counts, random = make_window((1280, 720)), [], np.random.default_rng(0)
    for n in (24, 48):
        many, n_samples = {part: n}, n if part == "classes" else 30
        shape = n_samples, many.get("columns", 2)
        labels = [f"class {i % many.get('classes', 2):03}" for i in range(n_samples)]
        data = MultiView(
            {f"view {i:03}": random.normal(size=shape) for i in range(many.get("views", 2))}, labels=labels
        )
        show_fresh(window, data, 3)
        rest(window)
        for page in window.bottom.pages:
            window.bottom.show_page(page)
            rest(window)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        counts.append(len(window.findChildren(QWidget)))
    assert counts[1] <= counts[0]
