"""PostgreSQL, a broker, nodes and a balancer as plain processes: docker-compose.yml without Docker."""
