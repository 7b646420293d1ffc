-- Codes of private rooms are stored as hashes.
UPDATE events SET payload = hide_code(payload) WHERE seq = 1 AND room IN (SELECT room FROM rooms WHERE private);
