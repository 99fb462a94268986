"""Education: courses, grading of exercises and spaced repetition."""
