-- The rating after every game. The key is a fence: of two games that end at the same time, the second is rated on top
-- of the first.
CREATE TABLE ratings (
    profile text NOT NULL,
    player text NOT NULL,
    games bigint NOT NULL,
    rating double precision NOT NULL,
    deviation double precision NOT NULL,
    volatility double precision NOT NULL,
    at bigint NOT NULL,
    room text NOT NULL,
    PRIMARY KEY (profile, player, games)
);

-- The latest rating of each player, for leaderboards.
CREATE TABLE standings (
    profile text NOT NULL,
    player text NOT NULL,
    games bigint NOT NULL,
    rating double precision NOT NULL,
    deviation double precision NOT NULL,
    volatility double precision NOT NULL,
    at bigint NOT NULL,
    room text NOT NULL,
    PRIMARY KEY (profile, player)
);
CREATE INDEX standings_rating ON standings (profile, rating);
CREATE INDEX accounts_player ON accounts (player) WHERE revoked_at IS NULL;
