"""ElasticJob of the Torch Elastic operator."""
