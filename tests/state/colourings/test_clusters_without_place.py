"""The colours of clusters beside those of classes, and samples without a place in the table of both."""

import numpy as np

import mvexplorer as mvx
from mvexplorer.state.colourings.class_comparison import compare_with_classes
from mvexplorer.state.colourings.cluster_colouring import cluster_colouring, in_class_colours

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


def test_a_cluster_has_the_colour_of_its_class_and_others_have_none_of_a_class():
    data = mvx.MultiView([np.arange(16.0).reshape(8, 2)], labels=np.array(["a", "a", "a", "b", "b", "b", "c", "c"]))
    codes = np.array([1, 1, 3, 2, 2, 2, 0, -1])
    coloured = in_class_colours(cluster_colouring("clusters", codes), data, {})
    assert coloured.classes == ("cluster 1", "cluster 2", "cluster 3", "cluster 4", "no place")
    assert coloured.colours == (2, 0, 1, 3, -1)
    of_part = in_class_colours(cluster_colouring("clusters", codes), data, {"label": ("z", "a", "b", "c")})
    assert of_part.colours == (3, 1, 2, 0, -1), "classes keep the colours that they have among all samples"


def test_clusters_without_classes_have_their_colours_in_order():
    bare = mvx.MultiView([np.arange(16.0).reshape(8, 2)])
    clusters = cluster_colouring("clusters", np.abs(CODES))
    assert in_class_colours(clusters, bare, {}) is clusters
