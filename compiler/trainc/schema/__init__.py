"""Validation of documents by the JSON Schema, in two tiers."""
