"""The page that `report` writes: a table and a sentence of each operation, failures, two pictures in
a row, and folded all other pictures, tables and the places of the runs.  It is one file that loads
nothing else, in light and in dark."""

import html

import picture
from curves import named
from overview import overview_table, sentence
from picture import brief
from records import SETTING, number, plain

STYLE = """
:root{color-scheme:light dark}
body{font-family:Helvetica,Arial,sans-serif;line-height:1.45;margin:0 auto;max-width:1440px;
padding:0 20px 40px;color:#1a1a1a;background:#fff}
h1{font-size:1.6em}h2{font-size:1.3em;margin-top:2em;border-bottom:1px solid #bbb}
.row{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,560px),1fr));gap:8px 12px}
figure{margin:8px 0;min-width:0}
figure svg{max-width:100%;height:auto}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:10px 0;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:bold;padding:6px 0}
th,td{padding:2px 10px;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}
td.number,th.number{text-align:right}
.passed{color:#17602f}.failed{color:#a11212;font-weight:bold}.note{color:#555}
summary{cursor:pointer;padding:6px 0}
@media (prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}h2{border-color:#555}
th,td{border-color:#3a3a3a}.passed{color:#79d395}.failed{color:#ff8f8f}.note{color:#aaa}}
"""

OPEN = ' open="open"'
FEW = 24  # rows of a table that is open inside its folded section

CONTEXT = (
    ("host", "host_name"),
    ("hyla", "library_version"),
    ("commit", "library_commit"),
    ("compiler", "compiler"),
    ("BLAS", "blas"),
    ("MPI", "mpi"),
    ("processors", "num_cpus"),
)


def escape(text):
    return html.escape(plain(text))


def shown(values):
    """The different values, each once, in their order."""
    return ", ".join(dict.fromkeys(str(value) for value in values if value not in (None, "")))


def load(run):
    """The load of the last minute before the record was made."""
    loads = run.context.get("load_avg")
    return number(loads[0]) if isinstance(loads, list) and loads else None


def between(values):
    values = sorted(value for value in values if value is not None)
    if not values:
        return ""
    return (
        brief(values[0])
        if values[0] == values[-1]
        else f"{brief(values[0])} to {brief(values[-1])}"
    )


def context_table(runs):
    """The table of places: a column for each host and build."""
    places = {}
    for run in runs:
        if run.context:
            key = tuple(str(run.context.get(field, "")) for _, field in CONTEXT)
            places.setdefault(key, []).append(run)
    if not places:
        return '<p class="note">No record says where it was made: all are of virtual cubes.</p>'
    rows = [(name, [key[i] for key in places]) for i, (name, _) in enumerate(CONTEXT)]
    of = places.values()
    dates = [sorted(str(run.context.get("date", "")) for run in found) for found in of]
    rows.insert(1, ("date", [" to ".join(dict.fromkeys((date[0], date[-1]))) for date in dates]))
    for name, field in (("cores", "cores"), ("ranks", "ranks"), ("threads a rank", "threads")):
        values = [sorted({number(run.context.get(field)) or 0 for run in found}) for found in of]
        rows.append((name, [", ".join(map(str, value)) for value in values]))
    rows.append(("load", [between([load(run) for run in found]) for found in of]))
    body = "".join(
        f'<tr><th scope="row">{name}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>\n"
        for name, cells in rows
    )
    head = '<div class="wide"><table class="context"><caption>Where it ran</caption>'
    return f"{head}\n{body}</table></div>"


def why(run):
    return run.message or (
        f"the residual {brief(run.residual)} is above 16"
        if run.passed is False and run.residual is not None
        else run.status or "it says no reason"
    )


def failures(runs, faults):
    """The list of failures with their messages."""
    items = [f"<li>{escape(fault)}</li>" for fault in faults]
    for run in runs:
        if run.verdict == "FAILED":
            what = run.command or f"{run.operation} {run.variant}, {run.problem}, {run.ranks} ranks"
            verdict = f'<span class="failed">FAILED</span> {escape(why(run))}'
            items.append(f"<li><code>{escape(what)}</code>: {verdict}</li>")
    if not items:
        return ""
    return '<section id="failed"><h2>Failed</h2><ul>\n' + "\n".join(items) + "\n</ul></section>"


def cell(value, text=None, kind="number"):
    if value is None:
        return f'<td class="{kind}">–</td>'
    shown_as = escape(brief(value) if text is None else text)
    return f'<td class="{kind}" data-value="{value!r}">{shown_as}</td>'


def row(run, columns):
    """The row of a run; without a time it has the message instead."""
    verdict = run.verdict
    chosen = " (chosen)" if run.chosen else ""
    start = f"<td>{escape(run.problem)}</td><td>{escape(run.variant)}{chosen}</td>"
    if verdict == "does not apply" or not run.seconds:
        kind = "failed" if verdict == "FAILED" else "note"
        return (
            f'<tr>{start}<td colspan="{columns - 3}" class="note">{escape(why(run))}</td>'
            f'<td class="{kind}">{escape(verdict)}</td></tr>'
        )
    speed, part = (run.rate, run.copy) if run.rate else (run.gflops, run.fraction)
    over = run.seconds / run.predicted if run.predicted else None
    spread = f" ({brief(run.least)} to {brief(run.most)})" if run.least < run.most else ""
    cells = [
        cell(run.seconds, brief(run.seconds) + spread),
        cell(speed),
        cell(part),
        cell(over),
        cell(run.residual),
    ]
    kind = {"PASSED": "passed", "FAILED": "failed"}.get(verdict, "note")
    return f'<tr>{start}{"".join(cells)}<td class="{kind}">{verdict or "not checked"}</td></tr>'


CAPTION = ("ranks", "threads", "type", "options", "layout", "machine", "host", "commit")


def tables(group):
    """A table for each setting; its rows differ in size and variant."""
    settings = {}
    for run in group.runs:
        key = tuple(
            run.setting[name] for name in SETTING if name not in ("problem", "shape", "layout")
        )
        settings.setdefault(key, []).append(run)
    return "\n".join(table(group, runs) for runs in settings.values())


def table(group, runs):
    """The table of runs of one setting; a long one is folded."""
    runs.sort(key=lambda run: (run.x or 0, run.problem))
    words = [named(key, runs[0].setting[key], group.simulated) for key in CAPTION]
    caption = escape(", ".join(word for word in words if word))
    moves = any(run.rate for run in runs)
    head = [
        "size",
        "variant",
        "virtual time" if group.simulated else "seconds, median (range)",
        "GB/s" if moves else "Gflop/s",
        "times a plain copy" if moves else "of the limit",
        ("simulated" if group.simulated else "measured") + " / predicted",
        "residual",
        "check",
    ]
    names = "".join(
        f'<th scope="col" class="{"number" if 2 <= i < 7 else "word"}">{name}</th>'
        for i, name in enumerate(head)
    )
    body = "\n".join(row(run, len(head)) for run in runs)
    return (
        f"<details{OPEN * (len(runs) <= FEW)}><summary>{caption}: {len(runs)} runs</summary>\n"
        f'<div class="wide"><table><caption>{escape(group.name)}, {caption}</caption>\n'
        f"<thead><tr>{names}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div></details>"
    )


IN_SIGHT = 2  # pictures of an operation that are not folded


def row_of(pictures):
    """Pictures, two in a row where there is room."""
    drawn = "\n".join(f"<figure>{one.svg(alone=False)}</figure>" for one in pictures)
    return f'<div class="row">{drawn}</div>\n' if drawn else ""


def folded(title, inside):
    return f"<details><summary>{escape(title)}</summary>\n{inside}\n</details>\n" if inside else ""


def section(group, index):
    notes = "".join(f'<p class="note">{escape(note)}</p>\n' for note in group.notes)
    first, rest = group.pictures[:IN_SIGHT], group.pictures[IN_SIGHT:]
    head = f'<section id="g{index}"><h2>{escape(group.name)}</h2>\n{sentence(group)}'
    more = folded(f"{len(rest)} more pictures", row_of(rest)) if rest else ""
    inside = f"{notes}{tables(group)}"
    return f"{head}{row_of(first)}{more}{folded('tables and notes', inside)}</section>"


def summary(groups, runs):
    """The number of runs by outcome."""
    counts = {}
    for run in runs:
        counts[run.verdict or "not checked"] = counts.get(run.verdict or "not checked", 0) + 1
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    others = [(i, group) for i, group in enumerate(groups) if not hasattr(group, "best")]
    links = ", ".join(f'<a href="#g{i}">{escape(group.name)}</a>' for i, group in others)
    beside = f"<p>Beside them: {links}</p>\n" if links else ""
    return f"{overview_table(groups)}\n<p>{len(runs)} runs{': ' * bool(runs)}{words}.</p>\n{beside}"


def page(title, groups, runs, faults):
    """The whole page."""
    body = "\n".join(
        [summary(groups, runs), failures(runs, faults)]
        + [section(group, index) for index, group in enumerate(groups)]
        + [f"<section>\n{folded('where it ran', context_table(runs))}</section>"]
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{picture.style()}</style>\n"
        "</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )
