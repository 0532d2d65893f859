"""Systems that run jobs, a package each: docs/adding-a-system.md."""
