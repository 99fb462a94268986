"""Partitions of a cluster of three servers, with a history of all appends that is checked afterwards."""
