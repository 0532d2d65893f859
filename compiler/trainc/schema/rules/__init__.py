"""What CustomResourceDefinitions require of values beyond JSON Schema: unique items of lists, and rules in CEL."""
