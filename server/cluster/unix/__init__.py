"""The bus between the workers of one machine: unix sockets."""
