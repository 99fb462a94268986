"""Teaches agents from textbooks, tests them, and asks again when it is time."""
