"""Intermediate representation: the lowered job, with all defaults. It names no Kubernetes kind.

A role is a set of identical pods. A back end decides whether it becomes an Indexed Job, a StatefulSet or Pods.
"""
