-- For retention: the chat of games is emptied in the order in which they ended.
CREATE INDEX rooms_by_end ON rooms (changed_at, room) WHERE status = 'ended';
DELETE FROM retention WHERE task = 'chat';
