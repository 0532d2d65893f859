"""Rules for jobs that cannot work or probably fail: a file for each concern."""
