"""Formats of a status: text, JSON and HTML."""
