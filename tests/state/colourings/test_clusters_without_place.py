"""Clusters of pictures in which some samples have no place: their colours, and their table against the classes."""

import numpy as np

import mvexplorer as mvx
from mvexplorer.state.colourings.class_comparison import compare_with_classes
from mvexplorer.state.colourings.cluster_colouring import cluster_colouring

LABELS = np.array(["a", "b", "a", "b", "a", "", "b", "a"], dtype=object)
CODES = np.array([0, 1, 0, 1, -1, 0, -1, 1])


def compared(codes):
    data = mvx.MultiView([np.arange(16.0).reshape(8, 2)], labels=LABELS)
    return compare_with_classes(cluster_colouring("clusters", codes), data)


def test_samples_without_a_place_are_the_grey_rest():
    colouring = cluster_colouring("clusters", CODES)
    assert colouring.classes == ("cluster 1", "cluster 2", "no place")
    assert colouring.counts == (3, 3, 2)
    assert colouring.colours == (0, 1, -1)
    assert cluster_colouring("clusters", np.abs(CODES)).colours == ()


def test_they_are_left_out_of_the_table_and_counted():
    table = compared(CODES)
    assert table.found.table.tolist() == [[2, 1], [0, 2]]
    assert table.words.endswith(" 3 samples without a label or a place are left out.")
    assert table.samples(0, 0) == ([0, 2], "label a in cluster 1 of clusters")
    assert table.samples(0, None) == ([0, 2, 7], "label a")
    assert compared(np.abs(CODES)).words.endswith(" 1 sample without a label is left out.")
