"""Conversations: what was said in them, and which turns are new."""
