"""The page “Views”: what each view adds to a picture."""
