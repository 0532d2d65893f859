"""Parts for several systems."""
