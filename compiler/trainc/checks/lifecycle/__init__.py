"""Rules about restarts, failure limits, deadlines, modes and cleanup."""
