"""Lowering of a TrainingJob to the IR: one pass for each concern."""
