"""The consumers of the log, one folder each."""
