-- For retention: the chat of games is emptied in the order in which they ended. No other query has the condition on
-- `room`, so that none prefers this index to the one that holds only the rows it shows.
CREATE INDEX rooms_by_end ON rooms (changed_at, room) WHERE status = 'ended' AND room <> '';
DELETE FROM retention WHERE task = 'chat';
