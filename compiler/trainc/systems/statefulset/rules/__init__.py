"""Rules about StatefulSets."""
