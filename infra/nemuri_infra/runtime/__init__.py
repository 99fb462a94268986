"""The service runtime: handlers, their resources, deliveries, provisioning and readiness."""
