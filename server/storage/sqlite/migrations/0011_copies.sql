-- A database that is the target of `parlour db copy`, and the months that `parlour db archive` has moved into files.
CREATE TABLE copies (
    source TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    ended_at INTEGER
);
CREATE TABLE archives (
    month TEXT PRIMARY KEY,
    file TEXT NOT NULL,
    rooms INTEGER NOT NULL,
    events INTEGER NOT NULL,
    archived_at INTEGER NOT NULL
) WITHOUT ROWID;
