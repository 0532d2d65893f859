"""Launchers: one package each, with its options, section, lowering, process model and rules."""
