"""The papers' figures: a gallery of all, and the column beside one that is open."""
