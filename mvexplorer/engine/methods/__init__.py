"""One file per family of methods; importing this package registers them in the order in which they are shown."""

# ruff: noqa: F401, I001 - the order shown
from mvexplorer.engine.methods import single, fusion, multiview, desa, kernel_cca, alternating
from mvexplorer.engine.methods import local_cca, tensor_cca
from mvexplorer.engine.methods import joint, laplacians, shared_bases
from mvexplorer.engine.methods import measure, representation, linear
