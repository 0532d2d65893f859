"""What runs, with nothing left implicit: the middle of the compiler. It names no Kubernetes kind.

A role is a set of alike pods. A back end decides whether it becomes an Indexed Job, a StatefulSet or Pods.
"""
