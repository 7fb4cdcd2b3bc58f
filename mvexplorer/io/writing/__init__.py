"""Files that the program writes: safely, results as tables and arrays, data sets inside sessions."""
