"""The page “Is it real?”: a card for each question."""
