"""Output of a rehearsal: progress, and verdicts as text, JSON and JUnit XML."""
