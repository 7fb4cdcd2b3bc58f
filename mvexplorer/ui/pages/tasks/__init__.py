"""The page “Tasks”: what is running, where, and in how much memory."""
