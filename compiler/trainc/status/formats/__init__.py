"""Formats of a status: its report, HTML and JSON."""
