"""Messages of webhooks in the form of Standard Webhooks, and the times of their attempts."""
