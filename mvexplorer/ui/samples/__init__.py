"""All samples as a table in the panels' place, and the charts of their columns beside the legend."""
