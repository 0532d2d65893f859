"""Scenarios of a rehearsal. The docstrings of their functions are shown to users."""
