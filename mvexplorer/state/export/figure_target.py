"""Targets of figures: their sizes, and those of their type."""

from __future__ import annotations

from dataclasses import dataclass

from mvexplorer.errors import DataError, ParameterError

LEAST_TYPE = 6.0
"""Points of the smallest type of a figure: journals print nothing smaller."""


@dataclass(frozen=True)
class FigureTarget:
    """A place in print or on a screen; lengths in mm, type in pt."""

    title: str
    width: float
    type_size: float
    """The usual size of its type, within `types`."""
    types: tuple[float, float]
    dpi: float
    """The usual resolution of its PNG."""
    height: float | None = None
    """None: as high as its content."""

    def checked_type(self, points: float | None) -> float:
        """A size of type, by default the usual one; ParameterError where it is too small or too large."""
        low, high = self.types
        if points is not None and not low <= points <= high:
            raise ParameterError(
                f"Type of {points:g} pt suits no figure for {self.title.lower()}.", f"Give {low:g} to {high:g} pt."
            )
        return self.type_size if points is None else points


TARGETS = {
    "column": FigureTarget("One column, 85 mm", 85.0, 8.0, (LEAST_TYPE, 14.0), 600.0),
    "page": FigureTarget("Two columns, 178 mm", 178.0, 8.0, (LEAST_TYPE, 14.0), 600.0),
    "slide": FigureTarget("Slide 16:9", 25.4 * 40 / 3, 18.0, (10.0, 40.0), 144.0, 190.5),
}


def panel_places(wanted: tuple[str, ...], ids: tuple[str, ...]) -> list[int]:
    """The places of panels, by their ids, in the order wanted; DataError, which tells the ids, for an unknown one."""
    unknown = [id for id in wanted if id not in ids]
    if unknown or not wanted:
        said = f"There is no panel “{unknown[0]}”" if unknown else "No panel is named"
        raise DataError(f"{said}; there are {', '.join(ids)}.", "")
    return [ids.index(id) for id in dict.fromkeys(wanted)]
