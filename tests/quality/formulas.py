"""Draws the formulas of the method cards anew: `python tests/quality/formulas.py`.

A line of LaTeX is a picture in black, which the window colours. The program needs no typesetter so.
"""

from __future__ import annotations

import warnings

from mvexplorer.engine.methods import methods
from mvexplorer.resources import resource
from mvexplorer.state.document.ingredients.words import FORMULAS, formula_lines

FOLDER = resource("formulas")
SIZE = 17
"""Height of the type, in pixels of the window."""


def drawings() -> dict[str, str]:
    """Each formula as SVG, by the name of its file."""
    lines = {name: line for method in methods() for name, line in formula_lines(method, tuple(FORMULAS)).items()}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "path is deprecated", DeprecationWarning)  # how ziamath finds its font
        from ziamath.config import config
        from ziamath.zmath import Latex

        # Qt draws SVG Tiny, which has no <symbol>: every glyph has to be written out where it stands.
        config.svg2, config.precision = False, 2
        return {f"{name}.svg": Latex(line, size=SIZE).svg() + "\n" for name, line in lines.items()}


def main() -> None:
    """Write all of them, and nothing else stays there."""
    FOLDER.mkdir(exist_ok=True)
    for former in FOLDER.iterdir():
        former.unlink()
    for name, svg in drawings().items():
        (FOLDER / name).write_text(svg, "utf-8", newline="")


if __name__ == "__main__":
    main()
