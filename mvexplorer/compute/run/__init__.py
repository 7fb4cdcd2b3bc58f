"""How jobs run in this process: the scheduler, the cache of stages and the memory they share."""
