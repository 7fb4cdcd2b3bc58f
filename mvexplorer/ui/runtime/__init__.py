"""Qt and the interpreter: threads, garbage, displays and platforms."""
