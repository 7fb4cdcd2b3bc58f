"""Small multiples: many small pictures of methods and values, in place of the panels."""
