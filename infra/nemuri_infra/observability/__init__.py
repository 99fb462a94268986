"""Observability of a process: metrics, traces and structured logs."""
