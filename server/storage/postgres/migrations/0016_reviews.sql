-- Reviews of finished games, and the requests for them: a row without a review waits for the reviewer.
CREATE TABLE reviews (
    room text COLLATE "C" PRIMARY KEY,
    asked_by text NOT NULL,
    asked_at bigint NOT NULL,
    taken_until bigint NOT NULL,
    attempts bigint NOT NULL,
    review bytea
);
CREATE INDEX reviews_waiting ON reviews (asked_at) WHERE review IS NULL;
CREATE INDEX reviews_asked_by ON reviews (asked_by, asked_at);
