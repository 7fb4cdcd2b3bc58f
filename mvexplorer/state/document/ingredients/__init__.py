"""The ingredients of the walks on show: in words, as choices, and the edits that choose them."""
