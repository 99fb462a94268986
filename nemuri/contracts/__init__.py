"""What crosses the bus: events, subjects and queries; imports nothing of the project."""
