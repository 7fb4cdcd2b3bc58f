"""The renderer of points, and the canvas it draws on."""
