"""The heads of the first samples differ on the screen where the columns do."""

from itertools import product

import pytest
from looked_into import Reader
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QStyleOptionHeader, QStyleOptionViewItem

from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.state.bench.importing import Importing
from mvexplorer.ui.importing.page import ImportPage
from mvexplorer.ui.importing.sample_heads import cut_head
from mvexplorer.ui.widgets.text_table import head_type

VIEWS = ("patients_cell_shape", "patients_largest_cells", "patients_variation")
FEATURES = tuple(f"{name}_of_nuclei" for name in ("radius", "texture", "perimeter"))
HEADS = ("id", "finding", *(f"{view} · {feature}" for view, feature in product(VIEWS, FEATURES)))


def test_view_and_feature_are_each_cut_to_their_own():
    shown = [cut_head(head, HEADS, 26, len) for head in HEADS]
    assert shown[:3] == ["id", "finding", "…_cell_shape · radius_of_…"]
    assert len({*shown}) == len(HEADS)
    assert max(map(len, shown)) <= 26
    assert "…largest_cells · radius_o…" in shown
    assert all(each in text for each, text in zip(["radius", "texture", "perimeter"] * 3, shown[2:], strict=True))


@pytest.mark.parametrize("heads", [("a · b",), ("x" * 60, "y · " + "z" * 90), ("v · <b>" + "q" * 60, "v · &amp;" * 9)])
def test_any_head_has_some_words(heads):
    assert all(cut_head(head, heads, 12, len) for head in heads)


def test_the_page_draws_them_so(app, qtbot, tmp_path):
    files = []
    for view in VIEWS:
        rows = [",".join(map(str, (f"p{k}", k, k * k % 7, k % 5))) for k in range(12)]
        (tmp_path / f"{view}.csv").write_text("\n".join([",".join(("sample", *FEATURES)), *rows]), "utf-8")
        files.append(str(tmp_path / f"{view}.csv"))
    inspection = inspect_files(files)
    page = ImportPage(Importing(Reader(), tuple(files), ReadOptions(), lambda loaded: None, inspection))
    qtbot.addWidget(page)
    page.resize(1248, 640)
    with qtbot.waitExposed(page):
        page.show()
    head = page.samples.horizontalHeader()
    drawn = []
    for section in range(head.count()):
        option = QStyleOptionHeader()
        head.initStyleOptionForIndex(option, section)
        drawn.append(option.text)
    assert len({*drawn}) == head.count() > 6
    assert all(head_type().horizontalAdvance(text) <= head.sectionSize(k) - 16 for k, text in enumerate(drawn))
    told = ("cell_shape", "largest_cells", "variation")
    assert [each for each in told if not any(each in text for text in drawn)] == []
    first = page.items.model().index(0, 0)
    option = QStyleOptionViewItem()
    option.rect = page.items.visualRect(first)
    page.items.itemDelegate().initStyleOption(option, first)
    assert option.font.bold() or option.font.weight() > 400
    assert option.fontMetrics.horizontalAdvance("mean") == QFontMetrics(option.font).horizontalAdvance("mean")
