"""PySide6 and pyqtgraph: widgets show the document and emit what the user did, nothing else."""
