"""Two snapshots over the panels: a wipe from one to the other, and a morph."""
