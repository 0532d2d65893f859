"""Shell and argv grammar. What isn't certain before a command runs is left out."""
