"""Text analysis: sentences, terms, keywords, citations, tokens, chunks, list items, statements, secrets."""
