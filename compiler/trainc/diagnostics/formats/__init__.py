"""The forms of a report, a module each with the one function `render(report) -> str`."""
