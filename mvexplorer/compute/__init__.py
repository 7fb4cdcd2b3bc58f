"""The running of computations: frozen requests, a cache of stages bounded in bytes, a scheduler over any executor."""
