"""Pages that explain the pictures, one at a time, below the panels."""
