"""Routing by the summary alone, and the end of a task."""
