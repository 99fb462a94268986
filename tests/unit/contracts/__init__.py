"""What contracts promise."""
