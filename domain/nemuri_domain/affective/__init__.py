"""Affective memory without I/O: memories with an emotion, which decay each night until they are archived (document
001).
"""
