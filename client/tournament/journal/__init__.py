"""The folder of a tournament, its log, and the state that the log adds up to."""
