-- The log is partitioned by month, so that old months can be dropped at once: ids of rooms begin with the time. The
-- program attaches the old log and adds months, see partitions.py.
ALTER TABLE events RENAME TO events_before;
ALTER TABLE events_before RENAME CONSTRAINT events_pkey TO events_before_pkey;
CREATE TABLE events (
    room text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (room, seq)
) PARTITION BY RANGE (room);
