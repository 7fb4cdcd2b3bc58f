"""Tables: text, workbooks, Parquet and Arrow."""
