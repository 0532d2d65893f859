"""Benchmarks in figures that do not depend on the machine: instructions, ratios, growth."""
