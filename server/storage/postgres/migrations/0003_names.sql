-- The name under which a player is connected: unique among the guests of all nodes.
ALTER TABLE present ADD COLUMN name text NOT NULL DEFAULT '';
ALTER TABLE present DROP CONSTRAINT present_pkey, ADD PRIMARY KEY (node, player, name);
CREATE INDEX present_name ON present (name);
