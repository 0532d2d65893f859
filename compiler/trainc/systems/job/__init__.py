"""Indexed Job of Kubernetes."""
