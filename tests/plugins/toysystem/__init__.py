"""ToyJob: a fictitious operator as a plug-in. docs/adding-a-system.md describes each part."""
