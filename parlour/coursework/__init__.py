"""The course programs, one module each. `parlour course NAME` imports only the one it runs."""
