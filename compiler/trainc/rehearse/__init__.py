"""Runs the pods of emitted manifests on one Linux machine, as a cluster would run them."""
