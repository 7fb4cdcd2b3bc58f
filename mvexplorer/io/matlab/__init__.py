"""MAT files of either format."""
