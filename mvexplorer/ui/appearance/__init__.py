"""The right side: colours, selection, the sample."""
