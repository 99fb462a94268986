"""Tests of the readers of foreign files, and of the export."""
