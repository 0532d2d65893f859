"""A page for every code: TCnnnn.md, from which docs/errors and `trainc explain` are made."""
