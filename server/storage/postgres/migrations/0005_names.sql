-- If the names of several accounts fold to the same text, the oldest account gets the name; the others keep their tokens.
UPDATE accounts SET folded = folded || ' ' || player WHERE revoked_at IS NULL AND EXISTS (
    SELECT 1 FROM accounts AS older WHERE older.revoked_at IS NULL AND older.folded = accounts.folded
    AND (older.created_at, older.token) < (accounts.created_at, accounts.token)
);
CREATE UNIQUE INDEX accounts_folded ON accounts (folded) WHERE revoked_at IS NULL;
CREATE INDEX rooms_name0 ON rooms (name0, changed_at) WHERE status = 'ended';
CREATE INDEX rooms_name1 ON rooms (name1, changed_at) WHERE status = 'ended';
CREATE INDEX rooms_game ON rooms (game, changed_at) WHERE status = 'ended';
