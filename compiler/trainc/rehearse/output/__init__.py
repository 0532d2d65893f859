"""Output of a rehearsal: progress, and verdicts as a report, JSON and JUnit XML."""
