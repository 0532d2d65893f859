"""Language server for editors: the findings of `trainc check`, and the schema of job files."""
