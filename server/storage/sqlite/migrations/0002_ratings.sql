-- The rating after every game. The key is a fence: of two games that end at the same time, the second is rated on top
-- of the first.
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

-- The latest rating of each player, for leaderboards.
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
