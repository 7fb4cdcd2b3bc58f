"""The place Validate: a check list about one panel, and a detail for each check."""
