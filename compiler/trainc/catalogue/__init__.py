"""The pages of docs/errors and docs/topics, as `trainc explain` and SARIF read them."""
