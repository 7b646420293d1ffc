-- Room ids sort by their bytes in every locale: they begin with the time.
CREATE TABLE events (
    room text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (room, seq)
);

CREATE TABLE rooms (
    room text COLLATE "C" PRIMARY KEY,
    game text NOT NULL,
    status text NOT NULL,
    result text NOT NULL,
    private boolean NOT NULL,
    player0 text NOT NULL,
    player1 text NOT NULL,
    name0 text NOT NULL,
    name1 text NOT NULL,
    deadline bigint,
    changed_at bigint NOT NULL,
    info bytea NOT NULL
) WITH (fillfactor = 70);  -- space for the new version of a row beside the old one
CREATE INDEX rooms_open ON rooms (status, room) WHERE status <> 'ended';
CREATE INDEX rooms_due ON rooms (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX rooms_ended ON rooms (changed_at) WHERE status = 'ended';
CREATE INDEX rooms_name0 ON rooms (lower(name0), changed_at) WHERE status = 'ended';
CREATE INDEX rooms_name1 ON rooms (lower(name1), changed_at) WHERE status = 'ended';
CREATE INDEX rooms_player0 ON rooms (player0) WHERE status <> 'ended';
CREATE INDEX rooms_player1 ON rooms (player1) WHERE status <> 'ended';

CREATE TABLE sessions (
    secret bytea PRIMARY KEY,
    player text NOT NULL,
    name text NOT NULL,
    account text NOT NULL,
    seen_at bigint NOT NULL
);
CREATE INDEX sessions_seen ON sessions (seen_at);

CREATE TABLE accounts (
    token bytea PRIMARY KEY,
    name text NOT NULL,
    player text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
);
CREATE UNIQUE INDEX accounts_name ON accounts (lower(name)) WHERE revoked_at IS NULL;

CREATE TABLE nodes (
    node text PRIMARY KEY,
    alive_at bigint NOT NULL
);

-- The players connected to each node: when a node dies, the others find its players here.
CREATE TABLE present (
    node text NOT NULL,
    player text NOT NULL,
    PRIMARY KEY (node, player)
);
CREATE INDEX present_player ON present (player);
