"""What the compiler says to a user: codes, diagnostics and how they are printed."""
