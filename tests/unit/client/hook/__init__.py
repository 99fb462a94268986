"""Unit tests of the hooks of coding assistants."""
