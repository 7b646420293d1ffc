"""The screens: lobby, table, TV and others."""
