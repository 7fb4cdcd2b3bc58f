"""Jobs on other processes and machines."""
