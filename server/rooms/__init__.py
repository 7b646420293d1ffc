"""The rooms of this node in memory: process commands, make events durable, send them to clients."""
