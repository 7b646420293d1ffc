"""The messages between clients and server, and their encodings."""
