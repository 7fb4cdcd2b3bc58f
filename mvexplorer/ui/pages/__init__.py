"""What explains the pictures, one page at a time, below the panels."""
