"""PySide6 and pyqtgraph: widgets show the document and emit user actions, nothing else."""
