"""The page of a self-test: every line with what came, on paper, on a phone and for a program."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import msgspec

from controller.selftest_guide import Report
from controller.selftest_page import LEAST_WIDTH, WIDTH, report_html, report_record, report_text, verdict
from controller.selftest_results import Result

RESULTS = (
    Result("seat 0, lamp", "shows green, yellow, red, all, dark", "confirmed by the button", True),
    Result("seat 0, button", "pressed and released", "no press in 15 s", False, "check its plug & wire <now>"),
    Result("seat 1, button", "pressed and released", "no press in 15 s", False, "check its plug & wire <now>"),
    Result("buzzer", "5 phrases", "not tested: these are its quiet hours", None, "test again by day"),
)
REPORT = Report("hall <1>", "1.0", "2026-11-30 15:00", 61.4, "Tess & Tom", None, RESULTS)
GOOD = replace(REPORT, results=RESULTS[:1])


class Page(HTMLParser):
    """A page as a browser takes it: its words, and the addresses it would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.fetched: list[str] = []
        self.rows = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.rows += tag == "tr"
        self.fetched += [value or "" for name, value in attributes if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_verdict_counts_what_failed_and_what_was_not_tested() -> None:
    """Only where everything was tested and is well, all is well."""
    assert verdict(REPORT) == "Of 4 parts 2 failed and 1 was not tested."
    assert verdict(GOOD) == "All 1 parts are well."
    stopped = replace(GOOD, stopped="by Tess", results=RESULTS[3:])
    assert verdict(stopped) == "Of 1 parts 1 was not tested. It was ended before its end: by Tess."
    assert verdict(replace(REPORT, results=RESULTS[3:] * 2)) == "Of 2 parts 2 were not tested."
    assert (REPORT.has_passed, GOOD.has_passed, stopped.has_passed) == (False, True, False)


def test_text_has_every_part_and_fits_a_printer_and_a_phone() -> None:
    """No line is wider than asked for; each part has expected and came, and what to do stands once, above them all."""
    for width in (WIDTH, LEAST_WIDTH):
        text = report_text(REPORT, width=width)
        assert max(map(len, text.splitlines())) <= width
        together = " ".join(text.split())
        for result in RESULTS:
            assert result.part in together
            assert f"came: {result.came}" in together
        head, what_to_do = together.split("seat 0, lamp ok")[0].split(" What to do ")
        assert head.endswith(verdict(REPORT))
        assert what_to_do.strip() == (
            "1. seat 0, button; seat 1, button: check its plug & wire <now> 2. buzzer: test again by day"
        )
    assert "FAILED" in text
    assert "What to do" not in report_text(GOOD)


def test_html_is_one_file_that_says_all_and_runs_nothing() -> None:
    """It fetches nothing; what people typed is text; what is to do stands once for all parts that need it."""
    page = Page(text := report_html(REPORT))
    words = " ".join(page.words)
    assert (page.fetched, page.rows) == ([], 1 + len(RESULTS))
    assert "<script" not in text
    assert "hall <1>" in words
    assert "Tess & Tom" in words
    assert words.count("check its plug & wire <now>") == 1
    assert "seat 0, button; seat 1, button" in words
    assert all(result.came in words and result.expected in words for result in RESULTS)
    assert "@page{size:A4" in text
    assert 'name="viewport"' in text
    assert "What to do" not in report_html(GOOD)


def test_verdict_is_red_only_where_something_failed() -> None:
    """A buzzer that was left out in its quiet hours is no fault of the table."""
    for results, mark in ((RESULTS, "bad"), (RESULTS[:1], "good"), ((RESULTS[0], RESULTS[3]), "open")):
        assert f'<p class="verdict {mark}">' in report_html(replace(REPORT, results=results))


def test_what_is_left_to_do_on_the_table_stands_below_the_verdict() -> None:
    """On either page and in the object."""
    report = replace(GOOD, last_word="Take the domino away & go.")
    assert report_text(report).split("All 1 parts are well.\n\n")[1].startswith("Take the domino away & go.\n")
    assert "<p>Take the domino away &amp; go.</p>" in report_html(report)
    assert report_record(report).last_word == "Take the domino away & go."


def test_json_has_the_same_and_can_be_read_back() -> None:
    """One object, with null for what was not tested."""
    body = msgspec.json.decode(msgspec.json.encode(report_record(REPORT)))
    assert (body["table"], body["passed"], body["seconds"]) == ("hall <1>", False, 61.4)
    assert [line["passed"] for line in body["results"]] == [True, False, False, None]
    assert set(body["results"][0]) == {"part", "expected", "came", "passed", "to_do"}
