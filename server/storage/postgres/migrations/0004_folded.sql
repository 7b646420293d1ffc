-- Names that look alike are one name. What these columns hold is folded by the program, see migrating.py.
ALTER TABLE accounts ADD COLUMN folded text NOT NULL DEFAULT '';
DROP INDEX accounts_name, rooms_name0, rooms_name1;
