"""Theme, colours, and how numbers are written."""
