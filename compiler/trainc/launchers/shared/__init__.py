"""Parts for all launchers."""
