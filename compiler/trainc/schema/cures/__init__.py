"""Cures of mistakes: names and values of other tools, and misspelled ones. Loaded for invalid jobs only."""
