"""The stores: the interface, and the parts that SQLite and PostgreSQL share."""
