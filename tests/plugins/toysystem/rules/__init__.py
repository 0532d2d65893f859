"""Rules that only a ToyJob needs."""
