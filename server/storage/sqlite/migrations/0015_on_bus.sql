-- Whether the bus takes the messages of a node to the others in time. A node of an earlier version does not say it.
ALTER TABLE nodes ADD COLUMN on_bus INTEGER NOT NULL DEFAULT 1;
