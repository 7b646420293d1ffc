"""Connections of clients: WebSocket, plain HTTP, rate limits, and limits per IP address."""
