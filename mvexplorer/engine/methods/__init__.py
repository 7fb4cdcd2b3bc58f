"""One file per family of methods; importing this package registers them in the order in which they are shown."""

from mvexplorer.engine.methods import single, fusion, multiview, desa, kernel_cca, alternating  # noqa: F401, I001 - the order shown
