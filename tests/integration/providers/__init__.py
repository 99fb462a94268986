"""Tests of the clients for model providers, against a server on the loopback that speaks the providers' wire
formats.
"""
