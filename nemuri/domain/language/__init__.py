"""Text as the platform sees it: sentences, terms, postings, keywords, citations, tokens, chunks and listed items."""
