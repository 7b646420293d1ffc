"""Random values for msgpack."""

from __future__ import annotations

from hypothesis import strategies as st

msgpack_trees = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda children: st.lists(children, max_size=20) | st.dictionaries(st.text(max_size=5), children, max_size=20),
    max_leaves=30,
)
