"""Tests of the TypeScript client, as its users have it: packed, and installed in a program of their own."""
