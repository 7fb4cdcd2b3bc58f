"""The system's refusals in words."""

import errno
import os

import pytest

from mvexplorer.wording import counted, reason, source_title


def test_one_is_no_plural():
    told = [counted(*pair) for pair in ((1, "panel"), (2000, "sample"), (0, "class"))]
    assert told == ["1 panel", "2,000 samples", "0 classes"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "the disk is full"),
        (OSError(errno.EFBIG, os.strerror(errno.EFBIG)), "the file would be larger than the system allows"),
        (OSError(errno.EFBIG, "it has 9 bytes, where 3 are the most"), "it has 9 bytes, where 3 are the most"),
        (OSError(errno.EINVAL, "it is a pipe, which may have no end"), "it is a pipe, which may have no end"),
        (OSError(errno.EIO, "Input/output error"), "input/output error"),
        (OSError("It rained"), "it rained"),
        (OSError(), "unknown reason"),
    ],
)
def test_why_the_system_refused(error, words):
    """What the program itself found wrong is told as it is, though the code means something else to the system."""
    assert reason(error) == words


@pytest.mark.parametrize(
    ("call", "title"),
    [
        ("make_pendulums(specific=False)", "Pendulums, nothing else in the films"),
        ("make_noisy_digits(shuffled=True)", "Noisy digits, rows of one view shuffled"),
        ("make_noisy_digits(shuffled=False)", "Noisy digits, rows as they belong"),
        ("make_pendulums(specific=True)", "Pendulums, each film with a pendulum of its own"),
        ("make_coupled_circles(variance=0.0256)", "Coupled circles, noise variance .0256"),
        ("make_rotated_rolls(n_samples=1000, random_state=3)", "Rotated rolls, 1,000 samples, seed 3"),
        ("make_toy_train(case='noise')", "Toy train, case noise"),
        ("make_noisy_swiss_roll(noise=20.0)", "Noisy swiss roll, noise 20"),
        ("make_tori(own_radius=0.5)", "Tori, own radius .5"),
        ("make_helix_a()", "Helix a"),
        ("make_helix_a(strange=)", "Helix a, strange "),
    ],
)
def test_titles_of_generated_data_show_no_raw_arguments(call, title):
    assert source_title((call,)) == title
