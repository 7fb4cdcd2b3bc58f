"""Makes the small pictures of the gallery anew: `python tests/quality/thumbnails.py [ID ...]`, some minutes for all.

Each is a figure of an experiment's quick form, or a panel of its document where that says more, without its title, in
few colours, for either theme: together they are small, and the gallery shows them at once.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.task import Task
from mvexplorer.experiments.experiment import Experiment
from mvexplorer.experiments.figures import cloud
from mvexplorer.experiments.opening import document_of
from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.table import EXPERIMENTS, find_experiment
from mvexplorer.figures import Curves, Figure, Matrix, PointCloud
from mvexplorer.ui.app import application
from mvexplorer.ui.export.figure import HEAD, SIZE, draw_figure

FOLDER = Path(__file__).parents[2] / "resources" / "gallery"
SIDE = 412, 280
"""Most pixels: twice those of a card, for screens with twice the dots."""
COLOURS = 24
FIRST = {
    "lindenbaum2015-fig9": 2, "lindenbaum2015-fig12": 2, "lindenbaum2015-fig16": 3, "lindenbaum2015-fig19": 3,
    "eynard2012-fig2": 2, "eynard2012-fig8": 3, "bandwidth-fig4.3": 2, "lindenbaum2015-table1": 1,
    "bandwidth-fig5.4": 4, "lindenbaum2015-fig22": 1, "lindenbaum2015-eq49": 1,
    "own-drowned-views": 1, "own-who-stays": 8, "own-ingredients": 3,
}  # fmt: skip
"""The figure that is shown, where it is not the first plot."""
PANELS = {
    "lindenbaum2015-fig7": 2, "lindenbaum2015-fig24": 3, "lindenbaum2015-fig26": 2, "lindenbaum2015-eq24": 3,
    "lindenbaum2015-table3": 3,
}  # fmt: skip
"""The panel that is shown, where the quick form's figure is a table or has hardly a point."""


def main(ids: list[str]) -> None:
    """Write those of some experiments, or of all."""
    FOLDER.mkdir(exist_ok=True)
    for experiment in map(find_experiment, ids) if ids else EXPERIMENTS:
        print(experiment.id, flush=True)
        write(experiment.id, figure_of(experiment))


def write(id: str, figure: Figure) -> None:
    """Write a figure as the picture of an experiment, for a light and for a dark window."""
    for name, ending in (("light", ""), ("dark", "-dark")):
        application(name, exported=True)
        image = draw_figure(figure, 1.0)
        body = image.copy(QRect(0, HEAD - 8, SIZE.width(), SIZE.height() - HEAD + 8))
        small = body.scaled(*SIDE, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
        few_colours(small).save(str(FOLDER / f"{id}{ending}.png"), quality=0)


def figure_of(experiment: Experiment) -> Figure:
    """The figure by which an experiment is known."""
    if experiment.id in PANELS:
        return panel_of(experiment, PANELS[experiment.id])
    figures = run_experiment(experiment).outcome.figures
    if experiment.id in FIRST:
        return figures[FIRST[experiment.id]]
    plots = [figure for figure in figures if isinstance(figure.body, PointCloud | Curves | Matrix)]
    return (*plots, *figures)[0]


def panel_of(experiment: Experiment, place: int) -> Figure:
    """What a panel of the experiment's document shows first."""
    state, data = document_of(experiment, Task())
    panel = state.panels[place]
    view = {} if panel.view is None else {"view": panel.view}
    made = embed(data, panel.method, epsilon=experiment.epsilon, **view)
    colour = data.labels if state.colour == "labels" else data.latent[state.colour.removeprefix("latent:")]
    Y = (made.view_coordinates or (made.coordinates,))[0]
    return cloud("", Y[:, :2], colour)


def few_colours(image: QImage) -> QImage:
    """The picture in the colours that it has most of: flat shades, which take little room in a file."""
    import numpy as np
    from sklearn.cluster import KMeans

    made = image.convertToFormat(QImage.Format.Format_RGB888)
    held = np.frombuffer(made.constBits(), np.uint8).reshape(made.height(), made.bytesPerLine())
    rgb = held[:, : 3 * made.width()].reshape(-1, 3)
    known, count = np.unique(rgb, axis=0, return_counts=True)
    k = min(COLOURS, len(known))
    fit = KMeans(k, n_init=1, random_state=0).fit(known.astype(float), sample_weight=np.sqrt(count))
    table = np.round(fit.cluster_centers_).astype(np.uint8)
    index = fit.predict(rgb.astype(float)).astype(np.uint8)
    table[index[0]] = rgb[0]  # the ground is that of the card
    found = QImage(index.tobytes(), made.width(), made.height(), made.width(), QImage.Format.Format_Indexed8).copy()
    found.setColorTable([0xFF000000 | int(r) << 16 | int(g) << 8 | int(b) for r, g, b in table])
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
