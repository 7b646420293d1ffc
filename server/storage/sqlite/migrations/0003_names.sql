-- Names that look alike are one name. These columns hold folded names; the info holds the names as they are shown.
UPDATE rooms SET name0 = fold(name0), name1 = fold(name1);
ALTER TABLE accounts ADD COLUMN folded TEXT NOT NULL DEFAULT '';
UPDATE accounts SET folded = fold(name);

-- If the names of several accounts fold to the same text, the oldest account gets the name; the others keep their tokens.
UPDATE accounts SET folded = folded || ' ' || player WHERE revoked_at IS NULL AND EXISTS (
    SELECT 1 FROM accounts AS older WHERE older.revoked_at IS NULL AND older.folded = accounts.folded
    AND (older.created_at, older.token) < (accounts.created_at, accounts.token)
);
DROP INDEX accounts_name;
CREATE UNIQUE INDEX accounts_folded ON accounts (folded) WHERE revoked_at IS NULL;
CREATE INDEX rooms_game ON rooms (game, changed_at) WHERE status = 'ended';
