"""How many small pictures stand beside each other."""

import pytest

from mvexplorer.ui.multiples.flow import columns_that_fit


@pytest.mark.parametrize(
    ("count", "room", "columns"),
    [
        (24, (1800, 900), 8),  # all fit: the columns with the largest pictures
        (24, (930, 530), 6),  # they scroll: as many as are wide enough
        (2, (1800, 900), 2),
        (24, (100, 500), 1),
        (4, (700, 700), 2),
    ],
)
def test_pictures_are_as_large_as_the_room_allows(count, room, columns):
    assert columns_that_fit(count, room, (148, 150), 44) == columns
