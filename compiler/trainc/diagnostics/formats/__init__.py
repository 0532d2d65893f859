"""Output formats of a report: a module each, with `render(report) -> str`."""
