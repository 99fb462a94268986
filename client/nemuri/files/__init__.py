"""Files that people hand over: documents, agent definitions, textbooks."""
