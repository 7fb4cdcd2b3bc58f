"""Several files of the same samples become one: rows are paired by name or position."""
