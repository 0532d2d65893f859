"""Formats of a difference: its report, JSON and diagnostics."""
