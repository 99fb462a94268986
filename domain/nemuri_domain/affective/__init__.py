"""The affective memory without I/O: memories with an emotion decay each night and are archived (document 001)."""
