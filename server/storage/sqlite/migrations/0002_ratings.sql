-- Every rating anybody ever had. The key is a fence: of two games that end at once, each counts on top of the other.
CREATE TABLE ratings (
    profile TEXT NOT NULL,
    player TEXT NOT NULL,
    games INTEGER NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    at INTEGER NOT NULL,
    room TEXT NOT NULL,
    PRIMARY KEY (profile, player, games)
) WITHOUT ROWID;

-- The newest of each, which leaderboards are made of.
CREATE TABLE standings (
    profile TEXT NOT NULL,
    player TEXT NOT NULL,
    games INTEGER NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    at INTEGER NOT NULL,
    room TEXT NOT NULL,
    PRIMARY KEY (profile, player)
) WITHOUT ROWID;
CREATE INDEX standings_rating ON standings (profile, rating);
CREATE INDEX accounts_player ON accounts (player) WHERE revoked_at IS NULL;
