"""A plan for people and for programs: text, Markdown, JSON, Mermaid, and a picture."""
