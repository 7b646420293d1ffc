-- When no server was running. Games are loaded when they are needed, and get these times back then.
CREATE TABLE downtimes (
    ended INTEGER PRIMARY KEY,
    began INTEGER NOT NULL
);
