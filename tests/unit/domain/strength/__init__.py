"""The mind of an agent, told as stories."""
