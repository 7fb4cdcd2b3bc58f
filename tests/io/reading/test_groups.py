"""Columns that are taken and called alike are one line, however many they are."""

from __future__ import annotations

from math import nan

from mvexplorer.io.reading.groups import grouped
from mvexplorer.io.reading.inspection import Item


def item(name, role="view", view="a", file="a.csv", kind="column", low=0.0, high=1.0, gaps=0):
    dtype = "text" if kind == "text" else "float64"
    return Item(file, name, kind, (4,), dtype, role, view, ("1",), (), gaps, "", low, high)


def lines(items):
    return {file: [(group.title, len(group.items)) for group in groups] for file, groups in grouped(items)}


def test_numbered_columns_are_one_line_with_range_and_gaps():
    genes = [item(f"gene_{i:03d}", low=-i, high=i, gaps=i == 7) for i in range(1, 301)]
    items = [item("who", "id", None, kind="text", low=nan, high=nan), *genes, item("age", high=80.0)]
    assert lines(items) == {"a.csv": [("who", 1), ("gene_001 … gene_300", 300), ("age", 1)]}
    whole = grouped(items)[0][1][1].whole
    assert (whole.low, whole.high, whole.n_missing, whole.range) == (-300, 300, 1, "−300 … 300")


def test_columns_that_share_a_word_are_one_line():
    names = [f"{first} {what}" for first in ("mean", "worst") for what in ("radius", "area", "texture", "symmetry")]
    names += [f"{what} error" for what in ("radius", "area", "texture", "symmetry")]
    assert lines([item(name) for name in names])["a.csv"] == [
        ("mean radius … mean symmetry", 4), ("worst radius … worst symmetry", 4), ("radius error … symmetry error", 4),
    ]  # fmt: skip


def test_a_column_with_another_role_leaves_its_group_whole():
    items = [item(f"x{i}", "ignore" if i == 5 else "view", None if i == 5 else "a") for i in range(10)]
    assert lines(items)["a.csv"] == [("x0 … x9", 9), ("x5", 1)]


def test_few_other_columns_have_a_line_each_and_many_share_one():
    few = [item(name) for name in ["alcohol", "malic", "ash", "hue", "proline"]]
    assert lines(few)["a.csv"] == [(each.name, 1) for each in few]
    many = [item(f"{chr(97 + i)}{chr(122 - i)}") for i in range(20)]
    assert lines(many)["a.csv"] == [("az … tg", 20)]


def test_variables_and_files_keep_lines_of_their_own():
    items = [item(f"X{i}", kind="array", view=f"X{i}") for i in range(8)]
    other = [item(f"u{i}", file="b.csv", view="b") for i in range(4)]
    assert [len(groups) for _, groups in grouped([*items, *other])] == [8, 1]


def test_text_stands_apart_from_numbers():
    items = [item(f"x{i}", kind="text" if i % 2 else "column", role="colour", view=None) for i in range(12)]
    assert lines(items)["a.csv"] == [("x0 … x10", 6), ("x1 … x11", 6)]


def test_hundred_thousand_columns_are_grouped_in_one_pass():
    items = [item(f"gene {i}") for i in range(100_000)]
    assert lines(items)["a.csv"] == [("gene 0 … gene 99999", 100_000)]
