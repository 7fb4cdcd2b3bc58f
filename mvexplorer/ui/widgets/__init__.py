"""Parts that know nothing of the document."""
