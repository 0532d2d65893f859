"""Rules about Jobs."""
