-- The public keys with which the players of accounts log in over SSH.
CREATE TABLE account_keys (
    fingerprint text PRIMARY KEY,
    player text NOT NULL,
    comment text NOT NULL,
    added_at bigint NOT NULL
);
