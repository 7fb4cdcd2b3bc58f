"""Qt and the interpreter: threads, garbage, platforms, faults."""
