"""From documents to specs. A front end for another system turns its tree into a TrainingJob's, spans and all."""
