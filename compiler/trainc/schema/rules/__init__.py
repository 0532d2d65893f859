"""Requirements of CustomResourceDefinitions beyond JSON Schema: unique items of lists, and rules in CEL."""
