"""The beginning of the page that `report` writes: one line of a table, and one sentence, for each
operation."""

import html

from picture import brief
from pictures import place_of
from records import plain

HEAD = ("operation", "size", "best variant", "of the limit", "planner's hits", "checked")


def escape(text):
    return html.escape(plain(text))


class Overview:
    """An operation: its fastest run at the largest size, and how often the planner chose well."""

    def __init__(self, group):
        timed = [run for run in group.runs if run.timed and run.x is not None and run.verdict != "FAILED"]
        self.name = group.name
        self.simulated = group.simulated
        self.best = None
        if timed:
            largest = max(run.x for run in timed)
            self.best = min((run for run in timed if run.x == largest), key=lambda run: run.seconds)
        self.places, self.hits = count_hits(timed)
        self.passed = sum(run.verdict == "PASSED" for run in group.runs)
        self.failed = sum(run.verdict == "FAILED" for run in group.runs)

    def part(self):
        """The share of the limit, or of moves the times of a plain copy; "" if it is not known."""
        if self.best and self.best.rate and self.best.copy:
            return f"{brief(self.best.copy)} x a copy"
        return f"{float(f'{100 * self.best.fraction:.2g}'):g} %" if self.best and self.best.fraction else ""

    def chosen(self):
        return f"{self.hits} of {self.places}" if self.places else ""

    def checked(self):
        words = [f"{self.passed} PASSED"] * (self.passed > 0) + [f"{self.failed} FAILED"] * (self.failed > 0)
        return ", ".join(words) or "not checked"

    def cells(self):
        best = self.best
        return (
            self.name,
            best.problem if best else "",
            best.variant if best else "",
            self.part(),
            self.chosen(),
            self.checked(),
        )

    def sentence(self):
        best = self.best
        if not best:
            return "No run has a time and a size."
        places = ("nodes" if self.simulated else "ranks")[: None if best.ranks != 1 else -1]
        where = f"on {best.ranks} {places}" if best.ranks else ""
        part = self.part()
        measure = f", {part.replace(' x a copy', ' times the time of a plain copy')}" if part else ""
        if part.endswith("%"):
            measure = f", {part} of the limit"
        hits = f"; the planner chose the fastest variant at {self.chosen()} places" if self.places else ""
        return f"At {best.problem} {best.variant} is the fastest {where} with {brief(best.seconds)} s{measure}{hits}."


def count_hits(timed):
    """The places at which several variants ran and one was chosen, and those where it was the
    fastest, up to 2 % of its time."""
    places = {}
    for run in timed:
        places.setdefault(place_of(run), []).append(run)
    rivals = [runs for runs in places.values() if len({run.variant for run in runs}) > 1]
    rivals = [runs for runs in rivals if any(run.chosen for run in runs)]
    hits = 0
    for runs in rivals:
        fastest = min(run.seconds for run in runs)
        hits += min(run.seconds for run in runs if run.chosen) <= 1.02 * fastest
    return len(rivals), hits


def overview_table(groups):
    """The table; names lead to the operations' sections."""
    known = [(index, Overview(group)) for index, group in enumerate(groups) if hasattr(group, "best")]
    if not known:
        return ""
    names = "".join(f'<th scope="col">{name}</th>' for name in HEAD)
    rows = []
    for index, one in known:
        name, *rest = one.cells()
        kind = "failed" if one.failed else "passed" if one.passed else "note"
        cells = "".join(f"<td>{escape(text) or '–'}</td>" for text in rest[:-1])
        rows.append(
            f'<tr><th scope="row"><a href="#g{index}">{escape(name)}</a></th>{cells}'
            f'<td class="{kind}">{escape(rest[-1])}</td></tr>'
        )
    body = "\n".join(rows)
    return (
        f'<div class="wide"><table class="overview"><caption>The operations at their largest size</caption>\n'
        f"<thead><tr>{names}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def sentence(group):
    """One sentence about an operation, as a paragraph; "" for other groups."""
    return f"<p>{escape(Overview(group).sentence())}</p>\n" if hasattr(group, "best") else ""
