"""Pictures of the panels: what is asked for each, its result, and how it is drawn and coloured."""
