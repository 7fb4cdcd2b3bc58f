"""Files to a data set: which function reads what, how it is inspected, and what is asked of the user."""
