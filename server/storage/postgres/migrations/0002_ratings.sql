-- Every rating anybody ever had. The key is a fence: of two games that end at once, each counts on top of the other.
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

-- The newest of each, which leaderboards are made of.
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
