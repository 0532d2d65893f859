"""A rehearsal as it goes on, and what it has shown, for people and for programs."""
