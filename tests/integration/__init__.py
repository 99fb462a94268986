"""Parts of the platform against real servers."""
