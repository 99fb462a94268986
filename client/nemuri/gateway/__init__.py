"""One process, one port: the window, the HTTP API, the MCP server and the probes."""
