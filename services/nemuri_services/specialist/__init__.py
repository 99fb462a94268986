"""Specialist: it carries out assignments.

It retrieves memories, reads relevant passages, and answers with citations.
"""
