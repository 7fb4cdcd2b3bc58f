"""How many pictures stand beside each other where they follow one another like words."""

from __future__ import annotations

from math import ceil


def columns_that_fit(count: int, room: tuple[int, int], least: tuple[int, int], words: int) -> int:
    """The number of columns with which `count` pictures are largest in `room`, in pixels, width before height.

    None is smaller than `least`: where they need more height, they scroll. Each has `words` pixels of text beside its
    points.
    """
    width, height = room
    most = max(1, min(count, width // least[0]))

    def size(columns: int) -> tuple[int, int]:
        high = max(least[1], height // ceil(count / columns))
        overflows = high * ceil(count / columns) > height
        return -overflows, min(width // columns, high - words)

    fitting = [columns for columns in range(1, most + 1) if size(columns)[0] == 0]
    return max(fitting or [most], key=lambda columns: (size(columns), columns))
