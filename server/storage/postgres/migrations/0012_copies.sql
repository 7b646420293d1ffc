-- A database that is the target of `parlour db copy`, and the months that `parlour db archive` has moved into files.
CREATE TABLE copies (
    source text NOT NULL,
    began_at bigint NOT NULL,
    ended_at bigint
);
CREATE TABLE archives (
    month text COLLATE "C" PRIMARY KEY,
    file text NOT NULL,
    rooms bigint NOT NULL,
    events bigint NOT NULL,
    archived_at bigint NOT NULL
);
