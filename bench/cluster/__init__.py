"""A cluster of plain processes: PostgreSQL, a broker, nodes and a balancer, as in docker-compose.yml."""
