"""The screens: lobby, table and wall of boards."""
