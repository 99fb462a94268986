"""Tests of the providers' clients against a server on the loopback that speaks their wire formats."""
