"""How a computation runs: frozen requests, a cache of stages bounded in bytes, and a scheduler over any executor."""
