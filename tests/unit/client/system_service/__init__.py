"""Tests of the platform as a service of the operating system."""
