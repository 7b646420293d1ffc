-- Reviews of finished games, and the requests for them: a row without a review waits for the reviewer.
CREATE TABLE reviews (
    room TEXT PRIMARY KEY,
    asked_by TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    taken_until INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    review BLOB
) WITHOUT ROWID;
CREATE INDEX reviews_waiting ON reviews (asked_at) WHERE review IS NULL;
CREATE INDEX reviews_asked_by ON reviews (asked_by, asked_at);
