"""Diagnostics: codes, positions and output formats."""
