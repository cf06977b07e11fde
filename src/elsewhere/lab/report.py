"""A result as one self-contained HTML page, with its numbers as JSON and its pictures as PNG beside it.

The page needs no network: plots are SVG inside it, pictures are inside it too. It says what was asked,
what was measured, on what kind of machine and with which options, and nothing that names the machine or
its owner.
"""

from __future__ import annotations

import base64
import io
import json
import math
import re
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from elsewhere.errors import RecordingError
from elsewhere.lab.environment import environment
from elsewhere.lab.experiment import Experiment, Result, options_of
from elsewhere.lab.pictures import Sheet
from elsewhere.lab.plots import Plot
from elsewhere.lab.statistics import Row, all_met

MANY_LABELS = 6
STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5c6675; --line: #dfe3e9; --paper: #fbfbfa;
  --card: #ffffff; --good: #2e7d4f; --bad: #b3393f; --accent: #2563a8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaef; --soft: #9aa5b5; --line: #333b47;
  --paper: #14181e; --card: #1c222b; --good: #6cc492; --bad: #ef8085; --accent: #7fb2ea; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 48px 24px 64px; }
.kicker { color: var(--accent); font-weight: 600; font-size: 14px; margin: 0 0 4px; }
h1 { font-size: 32px; line-height: 1.2; margin: 0 0 8px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 40px 0 12px; }
.question { font-size: 18px; color: var(--soft); margin: 0 0 4px; max-width: 46em; }
.paper { color: var(--soft); font-size: 14px; margin: 0; }
.verdict { display: inline-block; margin-top: 20px; padding: 6px 14px; border-radius: 99px;
  font-weight: 600; font-size: 14px; border: 1px solid currentColor; }
.good { color: var(--good); } .bad { color: var(--bad); }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 9px 14px; border-top: 1px solid var(--line); vertical-align: top; }
tr:first-child > * { border-top: 0; }
thead th { color: var(--soft); font-weight: 500; font-size: 13px; }
.number { text-align: right; white-space: nowrap; } td.number:nth-child(2) { font-weight: 600; }
td.source { color: var(--soft); font-size: 14px; }
figure { margin: 0 0 20px; padding: 14px; background: #ffffff; border: 1px solid var(--line);
  border-radius: 10px; }
figure svg, figure img { display: block; width: 100%; height: auto; }
figcaption { color: #5c6675; font-size: 14px; padding: 6px 6px 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; margin: 0; font-size: 14px; }
dt { color: var(--soft); } dd { margin: 0; }
ul { padding-left: 20px; } li { margin: 4px 0; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 0 40px; }
"""


def write_report(folder: Path, experiment: Experiment, result: Result) -> Path:
    """Write `NAME.html`, `NAME.json` and pictures as `NAME-1.png` into `folder`; gives the page.

    Raises RecordingError.
    """
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    facts = environment()
    page = folder / f"{experiment.name}.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(as_json(experiment, result, facts, made), indent=1)
        page.with_suffix(".json").write_text(text)
        page.write_text(html(experiment, result, facts, made))
        for number, sheet in enumerate(result.pictures, 1):
            page.with_name(f"{experiment.name}-{number}.png").write_bytes(sheet.png)
    except OSError as error:
        raise RecordingError(
            f"The report cannot be written to {folder}: {error.strerror}. Name a folder you may write to."
        ) from error
    return page


def as_json(experiment: Experiment, result: Result, facts: dict[str, str], made: str) -> dict[str, Any]:
    """Everything of a result as plain values: what was asked, measured and drawn."""
    value = {
        "experiment": experiment.name,
        "made": made,
        "options": _options(experiment),
        "environment": facts,
        "summary": result.summary,
        "rows": [{**asdict(row), "met": row.met} for row in result.rows],
        "notes": list(result.notes),
        "plots": {plot.title: plot.data() for plot in result.plots},
    }
    return plain(value)  # type: ignore[no-any-return]


def plain(value: Any) -> Any:
    """`value` as JSON can hold it: NumPy numbers become Python's, and not-a-number becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def html(experiment: Experiment, result: Result, facts: dict[str, str], made: str) -> str:
    """The page."""
    title = escape(experiment.title)
    figures = "".join(_figure(plot) for plot in result.plots)
    pictures = "".join(_picture(sheet) for sheet in result.pictures)
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>{STYLE}</style></head><body><main>
<p class="kicker">Elsewhere lab · {escape(experiment.name)}</p>
<h1>{title}</h1>
<p class="question">{escape(experiment.question)}</p>
<p class="paper">{escape(experiment.paper)}</p>
{_verdict(result.rows)}
<h2>Measured, beside what is asked</h2>
{_table(result.rows)}
{f"<h2>Plots</h2>{figures}" if figures else ""}
{f"<h2>Pictures</h2>{pictures}" if pictures else ""}
{f"<h2>Notes</h2><ul>{notes}</ul>" if notes else ""}
<div class="two"><section><h2>Machine</h2>{_list(facts)}</section>
<section><h2>Options</h2>{_list({**_options(experiment), "made": made})}</section></div>
</main></body></html>
"""


def _options(experiment: Experiment) -> dict[str, Any]:
    return {item.name: getattr(experiment, item.name) for item in options_of(type(experiment))}


def _verdict(rows: tuple[Row, ...]) -> str:
    asked = [row for row in rows if row.asked is not None]
    if not asked:
        return ""
    met = sum(row.met is True for row in asked)
    text = "All that is asked is met" if all_met(rows) else f"{met} of {len(asked)} met"
    return f'<p class="verdict {"good" if all_met(rows) else "bad"}">{text}</p>'


def _table(rows: tuple[Row, ...]) -> str:
    lines = []
    for row in rows:
        kind = {None: "", True: "good", False: "bad"}[row.met]
        lines.append(
            f'<tr><td>{escape(row.what)}</td><td class="number">{escape(row.ours_text)}</td>'
            f'<td class="number">{escape(row.asked_text)}</td><td class="{kind}">{row.met_text}</td>'
            f'<td class="source">{escape(row.source)}</td></tr>'
        )
    return (
        '<div class="scroll"><table><thead><tr><th></th><th class="number">ours</th>'
        '<th class="number">asked</th><th>met</th><th>source</th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _list(facts: dict[str, Any]) -> str:
    return (
        "<dl>"
        + "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(fact))}</dd>" for name, fact in facts.items())
        + "</dl>"
    )


def _figure(plot: Plot) -> str:
    caption = f"<figcaption>{escape(plot.caption)}</figcaption>" if plot.caption else ""
    return f"<figure>{svg(plot)}{caption}</figure>"


def _picture(sheet: Sheet) -> str:
    data = base64.b64encode(sheet.png).decode()
    caption = f"{sheet.title}. {sheet.caption}" if sheet.caption else sheet.title
    return (
        f'<figure><img alt="{escape(sheet.title)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def svg(plot: Plot) -> str:
    """The plot as an SVG element. No display and no global state of matplotlib is used."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings = {
        "font.size": 9.5,
        "axes.titlesize": 11,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#eceff3",
        "axes.axisbelow": True,
        "axes.edgecolor": "#9aa5b5",
        "svg.fonttype": "path",
        # The same data gives the same page, byte for byte; and two plots do not share an id.
        "svg.hashsalt": f"elsewhere {plot.title}",
    }
    with rc_context(settings):
        figure = Figure(figsize=(8.6, 3.1), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.subplots()
        plot.draw(axes)
        axes.set_title(plot.title)
        handles, labels = axes.get_legend_handles_labels()
        if len(labels) > 1:
            # Above the axes, where it can cover nothing.
            place = {"loc": "lower right", "bbox_to_anchor": (1.0, 0.98), "ncols": len(labels)}
            # Many labels stand closer, so that they leave room for the title.
            tight = {"columnspacing": 0.7, "handletextpad": 0.0, "markerscale": 1.5}
            style = tight if len(labels) > MANY_LABELS else {"markerscale": 3}
            axes.legend(handles, labels, frameon=False, fontsize=8.5, **style, **place)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return re.sub(r"^.*?(?=<svg)", "", text, flags=re.DOTALL)
