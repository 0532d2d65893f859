"""Fictitious launcher that is installed as a plug-in."""
