-- Under which name somebody is connected: among all nodes, no two guests have the same.
ALTER TABLE present ADD COLUMN name text NOT NULL DEFAULT '';
ALTER TABLE present DROP CONSTRAINT present_pkey, ADD PRIMARY KEY (node, player, name);
CREATE INDEX present_name ON present (name);
