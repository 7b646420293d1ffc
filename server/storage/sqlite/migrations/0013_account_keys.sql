-- The public keys with which the players of accounts log in over SSH.
CREATE TABLE account_keys (
    fingerprint TEXT PRIMARY KEY,
    player TEXT NOT NULL,
    comment TEXT NOT NULL,
    added_at INTEGER NOT NULL
) WITHOUT ROWID;
