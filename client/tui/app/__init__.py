"""The Textual application: one session, its screens, and the choice of a server."""
