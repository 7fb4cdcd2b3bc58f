"""The figure of eigenvalues over a parameter: a curve for each, dashed where it is uncertain, and the largest gap."""

import csv

import numpy as np
import pytest

from mvexplorer.engine.api.spectrum import SpectrumOver
from mvexplorer.state.questions.spectrum_figure import spectrum_figure

VALUES = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
EIGENVALUES = np.array(
    [[1, 0.9, 0.8, 0.5], [1, 0.9, 0.6, 0.5], [1, 0.9, 0.4, 0.3], [1, 0.8, 0.4, 0.2], [1, 0.6, 0.5, 0.1]]
)


def over(parameter="epsilon_scale", method="multiview", **changes):
    given = {"eigenvalues": EIGENVALUES, "certified": np.ones(5, bool)} | changes
    return SpectrumOver(method, parameter, VALUES, np.column_stack([VALUES, 2 * VALUES]), views=("a", "b"), **given)


def test_a_curve_for_each_eigenvalue_that_is_not_trivial():
    figure = spectrum_figure(over())
    assert [series.name for series in figure.body.series] == ["λ₁", "λ₂", "λ₃"]
    for series, values in zip(figure.body.series, EIGENVALUES.T[1:], strict=True):
        np.testing.assert_array_equal(series.x, VALUES)
        np.testing.assert_array_equal(series.y, values)
    assert (figure.body.x_label, figure.body.log_x) == ("factor on all ε", True)
    assert figure.title == "Eigenvalues of Multi-view over ε"
    without = spectrum_figure(over(method="cca"))
    assert [series.name for series in without.body.series] == ["λ₀", "λ₁", "λ₂", "λ₃"]


def test_the_vertical_axis_begins_at_the_least_so_that_eigenvalues_near_1_are_told_apart():
    assert spectrum_figure(over()).body.from_least


def test_over_eta_the_axis_is_even():
    figure = spectrum_figure(over("eta"))
    assert (figure.body.x_label, figure.body.log_x) == ("η", False)
    assert figure.words == "shaded: the largest gap, 0.500 after λ₁ at η = 1.00"


def test_the_largest_gap_is_shaded_where_it_lies_between_the_same_two():
    figure = spectrum_figure(over())
    first, *others = figure.body.series
    np.testing.assert_allclose(first.band, [[0.5, 0.6, 0.9], [1.0, 0.4, 0.9], [2.0, 0.4, 0.8]])
    assert all(series.band is None for series in others)
    assert [(mark.x, mark.words) for mark in figure.body.marks] == [(1.0, "gap 0.500 after λ₁")]
    assert figure.findings == {"gap": pytest.approx(0.5), "gap_after": 1, "gap_at": 1.0}
    assert figure.words == "shaded: the largest gap, 0.500 after λ₁ at ε × 1.00"


def test_up_to_what_chance_has_there_is_a_grey_strip():
    chance = np.array([0.4, 0.3, np.nan, 0.2, 0.2])
    figure = spectrum_figure(over(method="jointly-smooth", chance=chance))
    *curves, strip = figure.body.series
    assert ([each.name for each in curves], strip.name, strip.best) == (["λ₁", "λ₂", "λ₃"], "chance", False)
    np.testing.assert_array_equal(strip.y, chance)
    np.testing.assert_allclose(strip.band, [[0.25, 0, 0.4], [0.5, 0, 0.3], [2.0, 0, 0.2], [4.0, 0, 0.2]])
    assert {each.style for each in curves} == {"points"}, "computed there alone"
    assert figure.words.endswith("grey: up to the largest that chance alone has")
    assert "grey" not in spectrum_figure(over()).words
    assert {each.style for each in spectrum_figure(over()).body.series} == {"line"}


def test_one_eigenvalue_has_no_gap():
    figure = spectrum_figure(over(eigenvalues=EIGENVALUES[:, :2]))
    assert (figure.words, figure.body.marks, dict(figure.findings)) == ("", (), {})
    assert figure.body.series[0].band is None


def test_what_is_uncertain_is_dashed_up_to_what_is_certain():
    figure = spectrum_figure(over(certified=np.array([True, True, True, False, True])))
    certain, uncertain = figure.body.series[0], figure.body.series[3]
    assert (uncertain.name, uncertain.look) == (certain.name, certain.look + 12)
    np.testing.assert_array_equal(np.isnan(certain.y), [False, False, False, True, False])
    np.testing.assert_array_equal(np.isnan(uncertain.y), [True, True, False, False, False])
    assert figure.words.endswith("dashed where an eigenvalue may be off by more than 0.001")


def test_its_numbers_are_those_of_the_table():
    figure = spectrum_figure(over())
    head, *rows = csv.reader(figure.csv().splitlines())
    assert head == over().to_frame().columns
    assert rows[1] == ["0.5", "0.5", "1", "1", "0.9", "0.6", "0.5", "True"]
