"""From data to a decomposition, stage by stage."""
