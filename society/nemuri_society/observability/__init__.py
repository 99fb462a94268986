"""Metrics of hosts and worlds."""
