"""Rules for jobs that cannot work or probably fail, one per file."""
