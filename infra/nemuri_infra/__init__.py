"""Adapters: the only code that knows drivers."""
