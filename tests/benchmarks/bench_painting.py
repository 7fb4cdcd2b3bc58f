"""Painting points: against pyqtgraph's scatter plot and software OpenGL, and against the clock of the screen."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from statistics import median
from time import perf_counter

import numpy as np
from comparison import Comparison, Limit, Prepared, sized

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pyqtgraph as pg
from PySide6.QtWidgets import QGridLayout, QWidget

from mvexplorer.ui.app import application
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.picture import point_radius
from mvexplorer.ui.cloud.rasteriser import Cloud, PointStyle, View
from mvexplorer.ui.style.palettes import class_colours

MANY, SOME, BRUSHED, FRAME_MS = sized(100_000, 500), sized(2_000, 200), sized(60_000, 500), 33.0
FRAMES = sized(20, 2)
KEPT: list[QWidget] = []


def comparisons() -> Iterator[Comparison | Limit]:
    rival = "ScatterPlotItem.setData, shared brushes"
    yield Comparison(f"recolour {MANY:,} points, 2-D", 10, recolour, scatter_plot, rival, 5)
    yield Comparison(f"move {MANY:,} points, 2-D", 10, move, scatter_plot, rival, 5)
    yield Comparison(
        f"orbit {MANY:,} points, 3-D, full detail", 2, orbit, opengl, "GLScatterPlotItem, OpenGL of the display", 5,
        environment="opengl", display=True, wall=True,
    )  # fmt: skip
    for dims in (2, 3):
        yield promise(f"one panel of {MANY:,} points, {dims}-D, move at full detail", FRAME_MS, MANY, dims, 1)
    for dims in (2, 3):
        yield promise(f"six panels of {MANY:,} points, {dims}-D, move, less detail", FRAME_MS, MANY, dims, 6)
    for dims in (2, 3):
        yield promise(f"six panels of {SOME:,} points, {dims}-D, move and paint", 10.0, SOME, dims, 6)
    for dims in (2, 3):
        name = f"six panels of {BRUSHED:,} points, {dims}-D, 2560 × 1440, another selection, exact"
        yield Limit(name, {"ms": FRAME_MS}, partial(frame_time, partial(brushing, BRUSHED, dims)))
    yield promise(f"one panel of {10 * MANY:,} points, 3-D, move, less detail", FRAME_MS, 10 * MANY, 3, 1)
    yield Limit(f"memory of {10 * MANY:,} points on screen", {}, lambda: {"bytes each": memory_per_point(10 * MANY)}, 1)


def blobs(n: int, dims: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, dims) in -1..1 around eight centres, and the number of each one's centre."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 8, n)
    points = rng.normal(size=(8, dims))[group] + 0.3 * rng.normal(size=(n, dims))
    return points / np.abs(points).max(), group


def look_of(group: np.ndarray, turn: int = 0) -> PointStyle:
    rgb = class_colours(8, "light")[(group + turn) % 8].astype(np.uint8)
    return PointStyle(rgb, np.ones(len(group), dtype=bool), np.zeros(len(group), dtype=bool))


def canvas_of(points: np.ndarray, look: PointStyle, companions: int = 1) -> EmbeddingCanvas:
    canvas = EmbeddingCanvas()
    canvas.cloud.companions = companions
    canvas.set_look(look)
    canvas.show_points(points)
    return canvas


def on_screen(*widgets: QWidget, size: tuple[int, int] = (600, 500)) -> None:
    """In one window, in rows of three."""
    window = QWidget()
    grid = QGridLayout(window)
    grid.setContentsMargins(0, 0, 0, 0)
    for i, widget in enumerate(widgets):
        grid.addWidget(widget, i // 3, i % 3)
    window.resize(*size)
    window.show()
    application("light", exported=True).processEvents()
    KEPT.append(window)


def exact(canvas: EmbeddingCanvas) -> None:
    """Paint in full, now."""
    canvas._settled()
    canvas.viewport().repaint()


# Against others -----------------------------------------------------------------------------------------------


def flat_canvas() -> tuple[EmbeddingCanvas, np.ndarray, np.ndarray]:
    application("light", exported=True)
    points, group = blobs(MANY, 2)
    canvas = canvas_of(points, look_of(group))
    on_screen(canvas)
    return canvas, points, group


def recolour() -> Prepared:
    canvas, _, group = flat_canvas()
    looks, turn = [look_of(group, turn) for turn in range(2)], count(1)

    def work() -> None:
        canvas.set_look(looks[next(turn) % 2])
        exact(canvas)

    return Prepared(work)


def move() -> Prepared:
    canvas, points, _ = flat_canvas()
    places, turn = (points, np.roll(points, 1, axis=0)), count(1)

    def work() -> None:
        canvas.show_points(places[next(turn) % 2])
        exact(canvas)

    return Prepared(work)


def scatter_plot() -> Prepared:
    application("light", exported=True)
    points, group = blobs(MANY, 2)
    places, turn = (points, np.roll(points, 1, axis=0)), count(1)
    shared = [pg.mkBrush(*color) for color in class_colours(8, "light").tolist()]
    brushes = [[shared[(g + turn) % 8] for g in group.tolist()] for turn in range(2)]
    plot = pg.PlotWidget()
    scatter = pg.ScatterPlotItem(pen=None, size=2 * point_radius(5.0, MANY))
    plot.addItem(scatter)
    on_screen(plot)

    def work() -> None:
        i = next(turn) % 2
        scatter.setData(pos=places[i], brush=brushes[i])
        plot.viewport().repaint()

    return Prepared(work)


def orbit() -> Prepared:
    application("light", exported=True)
    points, group = blobs(MANY, 3)
    canvas = canvas_of(points, look_of(group))
    on_screen(canvas)

    def work() -> None:
        canvas.set_camera(canvas.camera.turned(0.02, 0.01))
        exact(canvas)

    return Prepared(work)


def opengl() -> Prepared:
    """On a virtual display OpenGL is Mesa's, in software."""
    import pyqtgraph.opengl as gl

    application("light", exported=True)
    points, group = blobs(MANY, 3)
    colours = np.column_stack([look_of(group).rgb / 255.0, np.full(MANY, 0.9)])
    view = gl.GLViewWidget()
    item = gl.GLScatterPlotItem(pos=points, color=colours, size=2 * point_radius(5.0, MANY), pxMode=True)
    item.setGLOptions("translucent")
    view.addItem(item)
    view.setCameraPosition(distance=3.0)  # as large as ours
    on_screen(view)

    def work() -> None:
        view.orbit(1.0, 0.5)
        view.grabFramebuffer()

    return Prepared(work)


# Against the clock --------------------------------------------------------------------------------------------


def promise(name: str, milliseconds: float, n: int, dims: int, panels: int) -> Limit:
    """A frame takes less than a time."""
    return Limit(name, {"ms": milliseconds}, partial(frame_time, partial(moving, n, dims, panels)))


def frame_time(prepared: Callable[[], Callable[[], None]]) -> dict[str, float]:
    """The median frame of a drag or a brush."""
    application("light", exported=True)
    frame = prepared()
    frame()
    times = []
    for _ in range(FRAMES):
        start = perf_counter()
        frame()
        times.append(perf_counter() - start)
    return {"ms": 1e3 * median(times)}


def moving(n: int, dims: int, panels: int) -> Callable[[], None]:
    """One frame of a drag: every cloud is somewhere else."""
    points, group = blobs(n, dims)
    look = look_of(group)
    canvases = [canvas_of(points, look, panels) for _ in range(panels)]
    on_screen(*canvases, size=(600, 500) if panels == 1 else (900, 500))
    full, turn = panels == 1 and n <= MANY, count()

    def frame() -> None:
        step = 0.002 * (-1) ** next(turn)
        for canvas in canvases:
            if dims == 3:
                canvas.set_camera(canvas.camera.turned(0.02, 0.01))
            else:
                canvas.box.translateBy(x=step)
            exact(canvas) if full else canvas.viewport().repaint()

    return frame


def brushing(n: int, dims: int) -> Callable[[], None]:
    """One brush over six linked panels that fill a large window: a part is selected that is another each time."""
    points, group = blobs(n, dims)
    look = look_of(group)
    canvases = [canvas_of(points, look, 6) for _ in range(6)]
    on_screen(*canvases, size=(2560, 1440))
    while not all(canvas.cloud.exact for canvas in canvases):  # one after the other: full pictures take turns
        application("light", exported=True).processEvents()
    turn = count()

    def frame() -> None:
        middle = points[997 * next(turn) % n]
        selected = (np.abs(points - middle) < 0.25).all(axis=1)
        brushed = replace(look, selected=selected)
        for canvas in canvases:
            canvas.set_look(brushed)
            canvas.viewport().repaint()
        assert all(canvas.cloud.exact for canvas in canvases)

    return frame


def memory_per_point(n: int) -> float:
    """Bytes that one panel keeps for each point while it is on screen, besides what all panels share."""
    points, group = blobs(n, 3)
    look = look_of(group)
    tracemalloc.start()
    cloud = Cloud()
    cloud.set_look(look)
    cloud.show(points)
    cloud.picture(View(-1.3, 1.3, 2.6, 2.6, (500, 600), 1.0), moving=False)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return kept / n
