"""Parse each stylesheet of the terminal client once for all tests of a process."""

from __future__ import annotations

import sys
from typing import Any


def share_parsed_rules() -> None:
    """Keep the parsed rules of all apps, if Textual is imported. Parsing took a fifth of the CPU time of a screen."""
    textual: Any = sys.modules.get("textual.css.stylesheet")
    if textual is None:
        return
    parse_rules, known = textual.Stylesheet._parse_rules, dict[Any, Any]()

    def parse_once(sheet: Any, *args: Any, **more: Any) -> Any:
        key = frozenset(sheet._variables.items()), args, frozenset(more.items())
        if key not in known:
            known[key] = parse_rules(sheet, *args, **more)
        return known[key]

    textual.Stylesheet._parse_rules = parse_once
