"""Pictures where there is no Qt: pixels by Pillow, or SVG as text."""
