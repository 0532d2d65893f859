"""Difference between two versions of jobs: what applying the second one does to objects, pods and training."""
