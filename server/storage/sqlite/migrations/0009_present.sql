-- The players who are connected to each worker, with their folded names. Empty while a single process serves the file.
CREATE TABLE present (
    node TEXT NOT NULL,
    player TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (node, player, name)
) WITHOUT ROWID;
CREATE INDEX present_name ON present (name);
CREATE INDEX present_player ON present (player);
