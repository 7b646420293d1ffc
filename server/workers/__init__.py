"""Several processes that serve clients on one port, and the parent process that supervises them."""
