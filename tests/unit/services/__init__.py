"""Unit tests of the services, without servers."""
