"""Makes the small pictures of the samples anew: `python tests/quality/sample_pictures.py [ID ...]`, a minute for all.

Each shows the panels as the sample opens, as the start page shows the user's own work, in few colours.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage
from sklearn.cluster import KMeans

from mvexplorer.datasets.catalogue import samples
from mvexplorer.ui.app import application, no_display_settings
from mvexplorer.ui.offscreen import wait_until_idle
from mvexplorer.ui.window.main_window import MainWindow
from mvexplorer.ui.window.start.work_picture import work_picture

FOLDER = Path(__file__).parents[2] / "resources" / "samples"
COLOURS = 40


def main(ids: list[str]) -> None:
    """Write those of some samples, or of all."""
    FOLDER.mkdir(exist_ok=True)
    application("light", exported=True)
    window = MainWindow(no_display_settings(), keep_settings=False)
    window.resize(1440, 900)
    window.show()
    for id in ids or [sample.id for sample in samples()]:
        window.library.open_source((id,))
        wait_until_idle(window)
        picture = work_picture(window.grid)
        assert picture is not None
        few_colours(QImage.fromData(picture.png())).save(str(FOLDER / f"{id}.png"), quality=0)
    window.discard()


def few_colours(image: QImage) -> QImage:
    """The picture in few colours, transparent ones among them: it takes a fifth of the room in a file."""
    made = image.convertToFormat(QImage.Format.Format_RGBA8888)
    held = np.frombuffer(made.constBits(), np.uint8).reshape(-1, 4)
    known, place, count = np.unique(held, axis=0, return_inverse=True, return_counts=True)
    solid = known[:, 3] > 0
    fit = KMeans(COLOURS - 1, n_init=1, random_state=0).fit(
        known[solid].astype(float), sample_weight=np.sqrt(count[solid])
    )
    index = np.zeros(len(known), np.uint8)
    index[solid] = fit.labels_ + 1
    table = [0, *(int(a) << 24 | int(r) << 16 | int(g) << 8 | int(b) for r, g, b, a in np.round(fit.cluster_centers_))]
    pixels = index[place.ravel()]
    form = QImage.Format.Format_Indexed8
    few = QImage(pixels.tobytes(), made.width(), made.height(), made.width(), form).copy()
    few.setColorTable(table)
    return few


if __name__ == "__main__":
    main(sys.argv[1:])
