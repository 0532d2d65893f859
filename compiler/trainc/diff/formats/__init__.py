"""Formats of a difference: text, JSON, Markdown and diagnostics."""
