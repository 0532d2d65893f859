"""Parts for systems with a custom resource."""
