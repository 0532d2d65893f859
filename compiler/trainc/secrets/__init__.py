"""Recognition of secrets by name, by format and in free text, and their redaction."""
