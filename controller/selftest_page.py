"""The page of a self-test, to read, print and sign: text, one HTML file, or JSON; what it says is decided before."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from typing import Final

from controller.messages import SelfTestReport
from controller.selftest_guide import Report
from controller.selftest_results import Result

WIDTH: Final = 78
"""Letters in a line of text, where nobody says how many there is room for."""
LEAST_WIDTH: Final = 38
"""A phone held upright."""

_MARKS: Final = {True: ("ok", "good"), False: ("FAILED", "bad"), None: ("not tested", "open")}

STYLE: Final = """
@page{size:A4;margin:10mm 12mm}
*{box-sizing:border-box}
body{font:15px/1.4 system-ui,"DejaVu Sans",sans-serif;color:#1c1c1a;background:#fff;max-width:56rem;margin:0 auto;
padding:1rem}
h1{font-size:1.5em;margin:0}h2{font-size:1.05em;margin:.9em 0 .2em}p{margin:.2em 0}
.verdict{font-weight:600;padding:.4em .6em;margin:.7em 0;border:2px solid}
.good{color:#1c5f34}.bad{color:#a31f13}.open{color:#6b5400}
ol{margin:.2em 0;padding-left:1.6em}li{margin:.15em 0}
table{border-collapse:collapse;width:100%;margin-top:.4em}
th,td{text-align:left;vertical-align:top;padding:.22em .5em;border-bottom:1px solid #ccc;overflow-wrap:anywhere}
th{font-size:.85em}td:last-child{white-space:nowrap;font-weight:600}td:first-child{font-weight:600}
.sign{display:flex;gap:2rem;margin-top:2.2em}
.sign span{flex:1;border-top:1px solid #333;padding-top:.2em;font-size:.85em}
@media(max-width:34rem){thead{display:none}tr{display:block;border-bottom:1px solid #999;padding:.35em 0}
td{display:block;border:0;padding:0}td[data-is]::before{content:attr(data-is)": ";font-weight:400;color:#555}}
@media print{body{font-size:8pt;line-height:1.18;padding:0;max-width:none}th,td{padding:.1em .4em}li{margin:0}
h1{font-size:1.3em}h2{margin:.4em 0 0}.verdict{margin:.3em 0;padding:.2em .5em}.sign{margin-top:1.8em}
td:first-child{width:19%}td:nth-child(2){width:30%}td:nth-child(3){width:39%}}
"""


def report_record(report: Report) -> SelfTestReport:
    """The report as `--json` prints it and the topic `selftest` carries it."""
    return SelfTestReport(
        table=report.table,
        version=report.version,
        began=report.began,
        seconds=round(report.seconds, 1),
        by=report.by,
        stopped=report.stopped,
        passed=report.has_passed,
        results=report.results,
        last_word=report.last_word,
    )


def verdict(report: Report) -> str:
    """The whole test in one sentence."""
    total = len(report.results)
    failed = sum(result.passed is False for result in report.results)
    untested = sum(result.passed is None for result in report.results)
    ended = f" It was ended before its end: {report.stopped}." if report.stopped else ""
    if report.has_passed:
        return f"All {total} parts are well.{ended}"
    told = [f"{failed} failed"] if failed else []
    told += [f"{untested} {'was' if untested == 1 else 'were'} not tested"] if untested else []
    return f"Of {total} parts {' and '.join(told)}.{ended}"


def _to_do(results: Sequence[Result]) -> list[tuple[str, str]]:
    """What a person has to do, each thing once with all parts that ask for it."""
    parts: dict[str, list[str]] = {}
    for result in results:
        if result.to_do:
            parts.setdefault(result.to_do, []).append(result.part)
    return [(cure, "; ".join(names)) for cure, names in parts.items()]


# --- text ---


def report_text(report: Report, *, width: int = WIDTH) -> str:
    """The page as text.

    Args:
        report: what came of the test.
        width: letters in a line, 38 at the least.
    """
    width = max(width, LEAST_WIDTH)
    lines = [f"Self-test of {report.table}", _heading(report), "", verdict(report), ""]
    lines += [report.last_word, ""] if report.last_word else []
    if to_do := _to_do(report.results):
        lines.append("What to do")
        for number, (cure, parts) in enumerate(to_do, start=1):
            lines += _indented(f"{number}. {parts}: {cure}", width)
        lines.append("")
    for result in report.results:
        mark = _MARKS[result.passed][0]
        lines.append(f"{result.part:<{width - len(mark) - 1}} {mark}" if len(result.part) + len(mark) < width else mark)
        lines += _indented(f"expected: {result.expected}", width)
        lines += _indented(f"came: {result.came}", width)
    lines += ["", "Tested by: ______________________", ""]
    return "\n".join(line for part in lines for line in (_wrapped(part, width) if part else [""]))


def result_line(result: Result) -> str:
    """One line of a test that goes on."""
    return f"{_MARKS[result.passed][0]}: {result.part}: {result.came}"


def _heading(report: Report) -> str:
    return f"{report.began}, {report.seconds:.0f} s, by {report.by}, Gameline {report.version}"


def _indented(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ")


def _wrapped(line: str, width: int) -> list[str]:
    return [line] if len(line) <= width else textwrap.wrap(line, width)


# --- HTML ---


def report_html(report: Report) -> str:
    """The page as one file that needs no other: one side of A4 in print, one column on a phone."""
    title = f"Self-test of {html.escape(report.table)}"
    came = {result.passed for result in report.results}
    mark = _MARKS[next((worst for worst in (False, None) if worst in came), True)][1]
    return "\n".join(
        (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f"<style>{STYLE}</style><h1>{title}</h1><p>{html.escape(_heading(report))}</p>",
            f'<p class="verdict {mark}">{html.escape(verdict(report))}</p>',
            f"<p>{html.escape(report.last_word)}</p>" if report.last_word else "",
            _list_to_do(report.results),
            "<table><thead><tr><th>part<th>expected<th>came<th>result</tr></thead><tbody>",
            *(_row(result) for result in report.results),
            "</tbody></table>",
            '<div class="sign"><span>tested by</span><span>date</span></div></html>',
        )
    )


def _list_to_do(results: Sequence[Result]) -> str:
    items = "".join(f"<li><b>{html.escape(parts)}</b>: {html.escape(cure)}</li>" for cure, parts in _to_do(results))
    return f"<h2>What to do</h2><ol>{items}</ol>" if items else ""


def _row(result: Result) -> str:
    mark, style = _MARKS[result.passed]
    expected, came = html.escape(result.expected), html.escape(result.came)
    return (
        f'<tr><td>{html.escape(result.part)}<td data-is="expected">{expected}<td data-is="came">{came}'
        f'<td class="{style}">{mark}</tr>'
    )
