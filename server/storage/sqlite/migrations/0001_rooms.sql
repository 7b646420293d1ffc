-- The log. A rowid table with a narrow index: rows are appended at the end, so a transaction with events of two hundred
-- rooms touches far fewer pages than in a table that is sorted by room.
CREATE TABLE events (
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (room, seq)
);

CREATE TABLE rooms (
    room TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    status TEXT NOT NULL,
    result TEXT NOT NULL,
    private INTEGER NOT NULL,
    player0 TEXT NOT NULL,
    player1 TEXT NOT NULL,
    name0 TEXT NOT NULL COLLATE NOCASE,
    name1 TEXT NOT NULL COLLATE NOCASE,
    deadline INTEGER,
    changed_at INTEGER NOT NULL,
    info BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX rooms_open ON rooms (status, room) WHERE status != 'ended';
CREATE INDEX rooms_due ON rooms (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX rooms_ended ON rooms (changed_at) WHERE status = 'ended';
CREATE INDEX rooms_name0 ON rooms (name0, changed_at) WHERE status = 'ended';
CREATE INDEX rooms_name1 ON rooms (name1, changed_at) WHERE status = 'ended';
CREATE INDEX rooms_player0 ON rooms (player0) WHERE status != 'ended';
CREATE INDEX rooms_player1 ON rooms (player1) WHERE status != 'ended';

CREATE TABLE sessions (
    secret BLOB PRIMARY KEY,
    player TEXT NOT NULL,
    name TEXT NOT NULL,
    account TEXT NOT NULL,
    seen_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_seen ON sessions (seen_at);

CREATE TABLE accounts (
    token BLOB PRIMARY KEY,
    name TEXT NOT NULL COLLATE NOCASE,
    player TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX accounts_name ON accounts (name) WHERE revoked_at IS NULL;

CREATE TABLE nodes (
    node TEXT PRIMARY KEY,
    alive_at INTEGER NOT NULL
) WITHOUT ROWID;
