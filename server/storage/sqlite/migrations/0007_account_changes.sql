-- Number the changes of accounts, so that a server can read those it has not seen.
ALTER TABLE accounts ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
CREATE INDEX accounts_change ON accounts (change);
