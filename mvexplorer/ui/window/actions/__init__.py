"""The room of the menus, the keys and Ctrl+K: actions, keys, preferences, samples and methods to choose."""
