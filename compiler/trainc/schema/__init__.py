"""Is a document a training job, and if not, why not: the JSON Schema, applied in two tiers."""
