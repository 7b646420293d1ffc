-- When no node was running. Games are loaded when they are needed, and get these times back then.
CREATE TABLE downtimes (
    ended bigint PRIMARY KEY,
    began bigint NOT NULL
);
