"""What can't work, or probably hurts: a rule a file, over what the user wrote and what would run."""
