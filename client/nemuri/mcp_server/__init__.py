"""The MCP server, by which assistants use the memory of agents: over standard input and output, or over HTTP."""
