"""Handlers of commands: the dispatcher, hello, authentication, and queries."""
