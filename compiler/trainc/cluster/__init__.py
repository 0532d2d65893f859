"""Entries of clusters: what a cluster has, and whether the objects of a job fit it."""
