"""The resources of the HTTP API, one module each."""
