"""Unit tests of the client, without servers."""
