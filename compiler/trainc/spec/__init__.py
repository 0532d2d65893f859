"""Typed job as the user wrote it, with positions and without defaults; a module for each section."""
