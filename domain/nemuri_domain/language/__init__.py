"""Text analysis: sentences, terms, keywords, citations, tokens, chunks, lists, tables, statements, secrets."""
