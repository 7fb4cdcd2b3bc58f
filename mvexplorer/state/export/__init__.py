"""Results to be written: records, captions, tables, and the session as Python."""
