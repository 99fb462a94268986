"""Language models behind one protocol: Anthropic, OpenAI-compatible, extractive."""
