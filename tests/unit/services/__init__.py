"""What services decide, without servers."""
