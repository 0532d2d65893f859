"""Intermediate representation: the job that runs, with all defaults. It names no Kubernetes kind.

A role is a set of identical pods. A back end decides whether it becomes an Indexed Job, a StatefulSet or Pods.
"""
