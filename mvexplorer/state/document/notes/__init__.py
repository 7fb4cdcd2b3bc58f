"""Notes on pictures: texts with an arrow to samples, the edits of them, and what they point at."""
