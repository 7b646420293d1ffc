"""What works across nodes with PostgreSQL and a broker works across workers with SQLite: these are the same tests."""

from __future__ import annotations

from tests.nodes import test_pairing, test_ratings, test_two_nodes

OTHER_STORE = {  # tests of PostgreSQL, and of a clock that differs from that of the store
    "test_name_is_free_after_its_guest_left_during_a_database_outage",
    "test_timestamps_use_the_clock_of_the_store",
}

for module in (test_pairing, test_ratings, test_two_nodes):
    for name, function in vars(module).items():
        if name.startswith("test_") and name not in OTHER_STORE:
            globals()[name] = function
