"""The documentation site: pages from the checkout, built by MkDocs with the theme Material, then checked."""
