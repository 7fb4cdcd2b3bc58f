"""The page “Agreement”: where panels differ."""
