"""What is remembered for how long, and how it comes back."""
