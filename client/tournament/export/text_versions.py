"""Versions of the texts in a bundle, and how to check texts that another version of Parlour wrote.

The wording of table.txt, page.html and the evidence in grades.csv may change between versions. A bundle states which
version wrote them. Texts of the current version are compared byte for byte. In older texts the names, the numbers and
the structure of the page are compared, but not the wording.

Increase TEXT_VERSION whenever one of these texts changes, and keep the digests of the older pages.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import zip_longest
from typing import NamedTuple

from client.tournament.export.html import digest, page_policy, summary
from client.tournament.export.tables import duel_line, shown_duels, sprt_line
from client.tournament.formats.standings import Standings
from client.tournament.model.plan import Plan
from client.tournament.model.results import Results

TEXT_VERSION = 5
UNSTATED_TEXT_VERSION = 1  # of a bundle that does not state its version

FIRST_BRACKET = 4  # from this version on, texts of a knockout tournament have its bracket
LAST_TEXT_PAGE = 2  # from the next version on, pages draw boards and have grades

# The digests of the style and the script of the page, by version.
PAGE_DIGESTS = {
    1: (
        "'sha256-M8cjci8Fh6zU1H3XLiVdJXGup+SDlYLa1zjnZbFDfZk='",
        "'sha256-QG5i3KHix0Yhvwx7Bl+ur7XfGFt/QHMaeXPtKcKtWvM='",
    ),
    2: (
        "'sha256-M8cjci8Fh6zU1H3XLiVdJXGup+SDlYLa1zjnZbFDfZk='",
        "'sha256-J0RwGJZFuxijcfpkiYuEje12GbfQL9lNas6i0ju6SNo='",
    ),
    3: (
        "'sha256-qfms2TUvyvktkrK6BUJrklXMsZjSIwUSb9wZVWA0WoI='",
        "'sha256-qGb7Z9zeM5ug3fZI8G7J2ChNv0nfK/CLOzTQAtH+zg0='",
    ),
    4: (
        "'sha256-2Y2yFqeVnHDrUyfmItqFrq3FAJFn87+IW3h81/+gHcU='",
        "'sha256-qGb7Z9zeM5ug3fZI8G7J2ChNv0nfK/CLOzTQAtH+zg0='",
    ),
    5: (
        "'sha256-6XG2R1oEfDN/2rskj07p0EoPaTaqDidTX8YON4S9ABY='",
        "'sha256-4vuyBxxXSlVNfYGCrHnHXx1WInSOJ0Uo3bU40eBFL/M='",
    ),
}

NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
FREE_WORDING = ("h2", "h3", "p", "button", "/button")  # elements of the page whose words may differ
SPRT_WORDS = {"H1": ("accepted",), "H0": ("rejected",), "": ()}

Sentences = dict[str, tuple[str, ...]]  # sentences in the current wording, and the words that every version has


def sentences(table: Standings, plan: Plan, results: Results) -> Sentences:
    """Return the sentences of table.txt and page.html, with the words that have to occur in them in this order."""
    played = sum(game.number in results for game in table.schedule.games)
    found: Sentences = {duel_line(duel): (duel.first, duel.second, "likely", "stronger") for duel in shown_duels(table)}
    found[summary(table, plan, played)] = (plan.format, plan.game, "finished" if table.finished else "not finished")
    if table.sprt is not None:
        found[sprt_line(table)] = SPRT_WORDS[table.sprt.verdict]
    return found


def same_sentence(given: str, expected: str, known: Sentences) -> bool:
    """Return whether two lines are equal, or are sentences with the same numbers and the required words."""
    if given == expected:
        return True
    words = known.get(expected)
    if words is None or numbers(given) != numbers(expected):
        return False
    end = 0
    for word in words:
        match = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search(given, end)
        if match is None:
            return False
        end = match.end()
    return True


def numbers(text: str) -> list[str]:
    return NUMBER.findall(text)


def has_digit(text: str) -> bool:
    return any(character.isnumeric() for character in text)


# -- table.txt


def same_table(given: str, expected: str, known: Sentences) -> bool:
    """Return whether two tables have the same headings, rows, names and numbers."""
    (heading, *lines), (expected_heading, *expected_lines) = table_lines(given), table_lines(expected)
    return heading.casefold() == expected_heading.casefold() and all(
        same_sentence(line, expected_line, known)
        for line, expected_line in zip_longest(lines, expected_lines, fillvalue="")
    )


def table_lines(text: str) -> list[str]:
    """Return the heading and all lines with a number, without alignment."""
    heading, *lines = [" ".join(line.split()) for line in text.splitlines()] or [""]
    return [heading, *filter(has_digit, lines)]


# -- grades.csv


def same_grades(given: str, expected: str) -> bool:
    """Return whether two files have the same grades. In evidence only the numbers count."""
    try:
        rows, expected_rows = (list(csv.reader(io.StringIO(text), strict=True)) for text in (given, expected))
    except csv.Error:
        return False
    return (
        list(map(len, rows)) == list(map(len, expected_rows))
        and rows[0] == expected_rows[0]
        and all(all(map(is_same_cell, *pair, range(len(pair[0])))) for pair in zip(rows, expected_rows, strict=True))
    )


def is_same_cell(given: str, expected: str, column: int) -> bool:
    is_evidence = column > 3 and column % 2 == 0
    return given == expected or (is_evidence and numbers(given) == numbers(expected))


# -- page.html


class Node(NamedTuple):
    """A tag of a page, and the text up to the next one."""

    tag: str
    attributes: tuple[tuple[str, str | None], ...]
    text: str


class PageReader(HTMLParser):
    """Collect the tags and texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes = [Node("", (), "")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.nodes.append(Node(tag, tuple(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self.nodes.append(Node(f"/{tag}", (), ""))

    def handle_data(self, data: str) -> None:
        self.nodes[-1] = self.nodes[-1]._replace(text=self.nodes[-1].text + data)

    def handle_decl(self, decl: str) -> None:
        self.nodes.append(Node("!", (), decl))

    def handle_comment(self, data: str) -> None:
        self.handle_decl(data)

    def handle_pi(self, data: str) -> None:
        self.handle_decl(data)

    def unknown_decl(self, data: str) -> None:
        self.handle_decl(data)


def read_nodes(text: str) -> list[Node]:
    reader = PageReader()
    reader.feed(text)
    reader.close()
    return reader.nodes


def same_page(given: str, expected: str, known: Sentences, version: int) -> bool:
    """Return whether two pages have the same structure, names, numbers and games.

    Style and script must be those of the stated version.
    """
    style, script = PAGE_DIGESTS[version]
    policy = page_policy(style, script)
    try:
        nodes, expected_nodes = read_nodes(given), read_nodes(expected)
    except AssertionError:  # html.parser raises it for malformed declarations
        return False
    same_texts: dict[str, Callable[[str, str], bool]] = {
        "style": lambda text, _: digest(text) == style,
        "script": lambda text, _: digest(text) == script,
        "th": lambda text, other: text.casefold() == other.casefold(),
        **dict.fromkeys(
            FREE_WORDING,
            lambda text, other: same_sentence(text, other, known) or not (has_digit(text) or has_digit(other)),
        ),
    }

    def same_node(node: Node, other: Node) -> bool:
        if node.tag != other.tag or fixed_attributes(node) != fixed_attributes(other):
            return False
        attributes = dict(node.attributes)
        if "http-equiv" in attributes and attributes.get("content") != policy:
            return False
        if not node.text.strip() and not other.text.strip():
            return True
        is_data = node.tag == "script" and attributes.get("type") == "application/json"
        return node.text == other.text if is_data else same_texts.get(node.tag, str.__eq__)(node.text, other.text)

    return len(nodes) == len(expected_nodes) and all(map(same_node, nodes, expected_nodes))


def fixed_attributes(node: Node) -> list[tuple[str, str | None]]:
    """Return the attributes without wording and without the policy, which is checked separately."""
    is_policy = any(name == "http-equiv" for name, _ in node.attributes)
    return [
        (name, value)
        for name, value in node.attributes
        if name != "aria-label" and not (is_policy and name == "content")
    ]
