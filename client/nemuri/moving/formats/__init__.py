"""One reader for each product whose files can be imported."""
