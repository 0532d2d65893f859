"""ToyJob: a made-up operator, as another distribution would add it. docs/adding-a-system.md describes each part."""
