"""Text as the platform sees it: sentences, terms, tokens, chunks and listed items."""
