"""Rules about custom resources."""
