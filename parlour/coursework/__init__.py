"""The course programs, one module each: `parlour course …` imports the one it is asked for and no other."""
