-- Lists of open rooms by game read only rooms of that game.
CREATE INDEX rooms_open_game ON rooms (game, room) WHERE status <> 'ended' AND NOT private;
