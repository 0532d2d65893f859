"""Shared parts of the models of operators."""
