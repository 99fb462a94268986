"""Tutor: it teaches agents from textbooks, tests them, and repeats exercises when they are due."""
