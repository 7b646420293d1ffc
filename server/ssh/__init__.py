"""SSH: people open the terminal client on the server with nothing but `ssh`."""
