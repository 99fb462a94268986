"""Classification of errors, and log-safe descriptions of them."""
