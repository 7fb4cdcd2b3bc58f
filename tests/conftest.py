"""Before anything imports numpy or Qt: one BLAS thread (the machine is shared) and no display."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
