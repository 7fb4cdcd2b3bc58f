"""The strip above the panels: the steps of the work, what is being read, and the messages over it."""
