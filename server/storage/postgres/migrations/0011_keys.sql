-- Keys with which the nodes of this store sign what they tell each other.
CREATE TABLE keys (
    name text PRIMARY KEY,
    value bytea NOT NULL
);
