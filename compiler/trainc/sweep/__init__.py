"""Sweeps: a document with `matrix` becomes a job for each combination of values. Imported only if there is one."""
