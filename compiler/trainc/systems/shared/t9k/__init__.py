"""Parts for T9k's jobs."""
