"""Messages of webhooks and the times of their attempts."""
