"""Language models behind one protocol: Anthropic, OpenAI and compatible servers, and the extractive model."""
