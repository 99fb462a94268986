"""Unit tests of courses, grading and spaced repetition."""
