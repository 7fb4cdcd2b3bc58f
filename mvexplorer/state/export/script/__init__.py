"""A session as Python, as one would write it by hand: a script, a notebook, or the lines of one panel."""
