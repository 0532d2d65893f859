"""What can be done to a rehearsed job, one scenario a file; the module's docstring says what it shows."""
