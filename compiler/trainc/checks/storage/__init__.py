"""Rules about volumes, claims and stored paths."""
