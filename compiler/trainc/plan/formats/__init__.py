"""Formats of a plan: text, Markdown, Mermaid, SVG, HTML and JSON."""
