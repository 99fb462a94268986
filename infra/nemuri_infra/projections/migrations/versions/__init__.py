"""The versions of the views, oldest first."""
