"""A window's worth of work without a window: six panels on dense kernels, switched to landmarks and back in the middle.

    python switching.py SAMPLES FEATURES LIMIT_MIB SECONDS ROUNDS LANDMARKS

Prints the bytes by which the memory of the process grew at most, the process' own data set not counted.
"""

import os
import sys
from pathlib import Path
from threading import Event, Thread
from time import sleep

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path[:0] = [str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402

from mvexplorer.engine.api.embedding import embed  # noqa: E402
from mvexplorer.engine.core.multiview import MultiView  # noqa: E402
from mvexplorer.state.document import commands  # noqa: E402
from mvexplorer.state.document.document import Document  # noqa: E402
from mvexplorer.state.pictures.controller import Controller  # noqa: E402

STATUS = Path("/proc/self/status")
EVERY = 0.01


def resident() -> int:
    """Bytes of the process that no file stands for."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) << 10


class Watch(Thread):
    """Looks at the process every ten milliseconds."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self._ended = resident(), Event()

    def run(self) -> None:
        """Keep the largest value seen."""
        while not self._ended.wait(EVERY):
            self.most = max(self.most, resident())

    def stop(self) -> int:
        """The largest value."""
        self._ended.set()
        self.join()
        return self.most


def views(n: int, features: int) -> MultiView:
    """Two views of a noisy circle, with classes."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    Xs = [ring @ rng.standard_normal((2, features)) + 0.3 * rng.standard_normal((n, features)) for _ in range(2)]
    return MultiView(Xs, labels=(angle // 2.1).astype(int))


def main(n: int, features: int, limit: int, seconds: float, rounds: int, landmarks: str) -> None:
    """Open, switch in the middle of the work as often as told, and wait for the end."""
    embed(views(60, 5), "multiview", epsilon=1.0)  # imports
    document, data = Document(), views(n, features)
    controller = Controller(document)
    controller.set_memory(limit)
    start, watch = resident(), Watch()
    watch.start()
    commands.open_data(document, data, commands.initial_state(data, ("memory",), None, False))
    for _ in range(rounds):
        sleep(seconds)
        commands.compute_by(document, landmarks, None)
        sleep(seconds)
        commands.compute_by(document, "gaussian", None)
    sleep(seconds)
    commands.compute_by(document, landmarks, None)
    controller.scheduler.wait_idle()
    print(watch.stop() - start, *sorted({r.status for r in controller.results.values()}))
    for id, found in controller.results.items():
        print(id, found.status, found.error, file=sys.stderr)
    controller.shutdown()


if __name__ == "__main__":
    samples, width, mebibytes, pause, times, kind = sys.argv[1:]
    main(int(samples), int(width), int(mebibytes) << 20, float(pause), int(times), kind)
