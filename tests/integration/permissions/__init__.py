"""Tests of the rights of every user of the log and the views: listed by hand, and checked on real servers."""
