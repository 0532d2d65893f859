"""Made-up launcher that is installed as a plug-in."""
