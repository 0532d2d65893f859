"""Reports of plan, status, diff and rehearse: one document, and a printer for each format."""
