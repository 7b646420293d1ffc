-- Keys with which the nodes of this store sign what they tell each other.
CREATE TABLE keys (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;
