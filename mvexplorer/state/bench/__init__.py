"""A running program, with a window or without: its workbench, its library, and the choices of the import page."""
