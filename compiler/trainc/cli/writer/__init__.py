"""Files that are written whole or not at all: docs/adr/0012-atomic-writes.md."""
