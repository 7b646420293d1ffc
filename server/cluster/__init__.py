"""Several nodes: the bus between them, the store's clock, and the work that only several nodes need."""
