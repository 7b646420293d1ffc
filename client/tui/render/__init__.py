"""Boards as text, and how the terminal shows them: colours and characters."""
