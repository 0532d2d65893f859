"""Scenarios of a rehearsal, one module each; the module's docstring is shown to users."""
