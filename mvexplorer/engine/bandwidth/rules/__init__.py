"""One file per family of bandwidth rules, each with a `RULES` tuple that `bandwidth/table.py` joins."""
