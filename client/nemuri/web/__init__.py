"""The shell around everything that is served over HTTP: who asks, what they may do, errors, and the server itself."""
