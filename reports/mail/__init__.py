"""Sending an issue by mail: messages, the gate, the outbox, SMTP."""
