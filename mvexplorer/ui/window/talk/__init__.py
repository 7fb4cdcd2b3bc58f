"""The window for an audience: presentation, playing a slider, colours by distance from the pointer."""
