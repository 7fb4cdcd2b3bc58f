"""The numbers of a figure, whatever its curves are called."""

import numpy as np

from mvexplorer.figures import Curves, Figure, Series

K = np.arange(2.0)


def test_curves_over_one_axis_have_it_once():
    body = Curves("k", "λ", (Series("one", K, K + 1), Series("two", K, K + 2)))
    assert list(body.columns()) == ["k", "one", "two"]


def test_curves_of_one_name_do_not_replace_each_other():
    body = Curves("k", "λ", (Series("one", K, K + 1), Series("one", K, K + 2), Series("k", K, K + 3)))
    assert Figure("Three", body).csv().splitlines() == ['"k","one","one (2)","k (2)"', "0,1,2,3", "1,2,3,4"]
    uneven = Curves("k", "λ", (Series("one", K, K + 1), Series("one", K[:1], K[:1])))
    assert list(uneven.columns()) == ["k (one)", "one", "k (one (2))", "one (2)"]
