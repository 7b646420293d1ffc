"""A ladder: pairs the bots of a server that opted in, for as long as it runs, and rates every version of a bot."""
