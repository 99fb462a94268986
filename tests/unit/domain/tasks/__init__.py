"""The life of a task, told as stories."""
