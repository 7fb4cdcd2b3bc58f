"""The common ground of all readers: limits, parts of a data set, numerals, and the process that decodes files."""
