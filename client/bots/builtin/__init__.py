"""The built-in bots: the players of the courses, and the search in ten levels."""
