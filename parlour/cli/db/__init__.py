"""`parlour db`: one module for each kind of work."""
