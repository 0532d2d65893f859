"""Formats of a plan: its report, pictures, HTML and JSON."""
