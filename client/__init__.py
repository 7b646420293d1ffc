"""Everything that connects to a server: client library, bots, programs, tournaments, terminal client."""
