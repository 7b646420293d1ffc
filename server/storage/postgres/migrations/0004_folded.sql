-- Names that look alike are one name. The program folds these columns, see schema.py.
ALTER TABLE accounts ADD COLUMN folded text NOT NULL DEFAULT '';
DROP INDEX accounts_name, rooms_name0, rooms_name1;
