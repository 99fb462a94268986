"""Tiered memory, pure: working memory, short-term memory, long-term memory, and what goes over (document 004)."""
