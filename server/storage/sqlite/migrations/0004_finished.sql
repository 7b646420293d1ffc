-- Each query for ended rooms reads an index that holds the rows it shows. Otherwise it would walk over every aborted or
-- private room, and clients can create many of these.
DROP INDEX rooms_ended;
DROP INDEX rooms_game;
DROP INDEX rooms_name0;
DROP INDEX rooms_name1;
CREATE INDEX rooms_ended ON rooms (changed_at) WHERE status = 'ended' AND NOT private;
CREATE INDEX rooms_ended_game ON rooms (game, changed_at) WHERE status = 'ended' AND NOT private;
CREATE INDEX rooms_finished ON rooms (changed_at) WHERE status = 'ended' AND result <> '*' AND NOT private;
CREATE INDEX rooms_finished_game ON rooms (game, changed_at) WHERE status = 'ended' AND result <> '*' AND NOT private;
CREATE INDEX rooms_game_name0 ON rooms (name0, game, changed_at) WHERE status = 'ended' AND result <> '*';
CREATE INDEX rooms_game_name1 ON rooms (name1, game, changed_at) WHERE status = 'ended' AND result <> '*';

-- These also serve the search for the last opponent, so they hold private games too.
CREATE INDEX rooms_name0 ON rooms (name0, changed_at) WHERE status = 'ended' AND result <> '*';
CREATE INDEX rooms_name1 ON rooms (name1, changed_at) WHERE status = 'ended' AND result <> '*';

-- For retention: rooms that ended without a result, and how far each task has come.
CREATE INDEX rooms_aborted ON rooms (changed_at) WHERE status = 'ended' AND result = '*';
CREATE TABLE retention (
    task TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    room TEXT NOT NULL
) WITHOUT ROWID;
