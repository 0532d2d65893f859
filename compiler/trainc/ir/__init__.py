"""Intermediate representation: the lowered job, with all defaults. It names no Kubernetes kind.

A role is a set of identical pods. A back end decides which objects it becomes.
"""
