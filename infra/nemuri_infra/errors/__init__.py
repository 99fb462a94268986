"""Classification of errors, and text of them that is safe to log."""
