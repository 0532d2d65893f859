"""Text to a tree whose every node knows its file, line and column; nothing here knows what a job is."""
