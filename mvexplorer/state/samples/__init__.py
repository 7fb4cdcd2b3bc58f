"""The samples as a table: its columns, what is filtered and in which order, and the charts of its columns."""
