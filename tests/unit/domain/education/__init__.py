"""Courses, grading and repetition."""
