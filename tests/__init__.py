"""All tests of the platform. Test names and docstrings state the behaviour that is asserted."""
