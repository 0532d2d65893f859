"""What operators make of their custom resources."""
