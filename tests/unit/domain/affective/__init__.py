"""What is felt, and what becomes of it."""
