"""Bare Pods."""
