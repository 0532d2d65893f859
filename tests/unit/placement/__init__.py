"""Tests of the placement of pods on nodes."""
