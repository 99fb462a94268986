"""Text as the platform sees it: sentences, terms, keywords, citations, tokens, chunks, items, statements."""
