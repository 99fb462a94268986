"""Tests of the rights that every user of the log and the views has. A table lists them by hand; real servers enforce
them.
"""
