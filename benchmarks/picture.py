"""One picture as SVG: curves over logarithmic or linear axes, or rows of bars.  Curves are distinct
by colour, by lightness (so also in grey), by the shape of their points and by dashes, in light and
in dark."""

import html
import math

COLOURS = {  # in steps of lightness; found by search for the best distinction by the colour-blind
    "light": ("#330227 #300b6e #5f222f #512da5 #924021 #4c6b9f #be6355 #b871e8".split()),
    "dark": ("#fbfd7e #a0f2d5 #d3d418 #68cc9a #bba600 #3e9fa5 #cf5b4b #7b5eab".split()),
}
DASHES = ("", "7 3", "", "2 3", "9 3 2 3", "", "5 4", "2 3")
MOST_CURVES = len(DASHES)
SIZE = 12.5  # of letters
PLOT_WIDTH, PLOT_HEIGHT = 380, 280
ROW = 21


def style():
    """The style rules of all pictures, for a page or for a picture on its own."""
    rules = [
        f".picture{{font-family:Helvetica,Arial,sans-serif;font-size:{SIZE}px}}",
        ".picture .headline{font-weight:bold;font-size:15px}",
        ".curve{fill:none;stroke-width:2}",
        ".behind{fill:none;stroke-width:1}",
        ".spread{fill:none;stroke-width:1.2}",
        ".choice{fill:none;stroke-width:1.5}",
        ".point{stroke-width:1.6}",
        ".mark{fill:none;stroke-width:2.2}",
    ]
    for mode, ink, paper, grid, band, faint in (
        ("light", "#1a1a1a", "#ffffff", "#dddddd", "#e8e8e8", "#a8a8a8"),
        ("dark", "#e8e8e8", "#161616", "#3a3a3a", "#333333", "#6a6a6a"),
    ):
        own = [
            f".picture text{{fill:{ink}}}",
            f".paper{{fill:{paper}}}",
            f".grid{{stroke:{grid}}}",
            f".behind{{stroke:{faint}}}",
            f".band{{fill:{band}}}",
            f".frame{{stroke:{ink};fill:none}}",
            f".choice{{stroke:{ink}}}",
        ]
        for index, colour in enumerate(COLOURS[mode]):
            own.append(
                f".c{index}{{stroke:{colour}}}.point.c{index}{{fill:{colour}}}"
                f".open.c{index}{{fill:{paper}}}"
            )
        rules += (
            own if mode == "light" else ["@media (prefers-color-scheme:dark){" + "".join(own) + "}"]
        )
    return "\n".join(rules)


def text_width(text, size=SIZE):
    """An upper bound for the width of a text."""
    return (
        sum(
            0.38 if letter in "iljtf.,:;|'()[] " else 0.9 if letter in "mwMW@%" else 0.62
            for letter in str(text)
        )
        * size
    )


def brief(value):
    """A number in about five characters."""
    if value == 0:
        return "0"
    if 1e-2 <= abs(value) < 1e4:
        return f"{value:.4g}"
    if abs(value) < 1e8 and value == int(value):
        return str(int(value))
    return f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


class Scale:
    """Maps values to places between two ends, on a linear or logarithmic axis."""

    def __init__(self, values, low, high, logarithmic, least=None):
        self.logarithmic = logarithmic
        first, last = min(values), max(values)
        if logarithmic:
            room = max((last / first) ** 0.04, 1.02)
            self.first, self.last = first / room, last * room
        else:
            first = first if least is None else least
            room = 0.05 * (last - first) or 0.1 * abs(last) or 1
            self.first, self.last = first if least is not None else first - room, last + room
        self.low, self.high = low, high

    def at(self, value):
        turn = math.log if self.logarithmic else float
        part = (turn(value) - turn(self.first)) / (turn(self.last) - turn(self.first))
        return self.low + part * (self.high - self.low)

    def ticks(self, most):
        """At most this number of round values."""
        if not self.logarithmic:
            step = 10 ** math.floor(math.log10((self.last - self.first) / most))
            step = next(
                step * factor
                for factor in (1, 2, 5, 10, 20)
                if (self.last - self.first) / (step * factor) <= most
            )
            return [
                round(i * step, 12)
                for i in range(
                    math.ceil(self.first / step - 1e-9), math.floor(self.last / step + 1e-9) + 1
                )
            ]
        decades = range(math.floor(math.log10(self.first)), math.ceil(math.log10(self.last)) + 1)
        for factors in ((1, 1.2, 1.5, 2, 3, 5, 7), (1, 1.5, 2, 3, 5), (1, 2, 5), (1, 3), (1,)):
            ticks = [float(f"{factor}e{decade}") for decade in decades for factor in factors]
            ticks = [tick for tick in ticks if self.first <= tick <= self.last]
            if len(ticks) <= most:
                return ticks
        return ticks[:: math.ceil(len(ticks) / most)]


def apart(places, widths, gap=6):
    """Which of these labels fit, so that none touches the one before."""
    kept, end = [], -math.inf
    for index, (place, width) in enumerate(zip(places, widths)):
        if place - width / 2 >= end + gap:
            kept.append(index)
            end = place + width / 2
    return kept


def write(x, y, text, anchor="start", kind=""):
    kind = f' class="{kind}"' if kind else ""
    start = f'text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}'
    return element(start, html.escape(str(text)))


def mark(index, x, y, attributes="", inside=""):
    """The marker of a curve's points, different for each curve."""
    r = 4.2
    shape = (
        f'circle cx="{x:.1f}" cy="{y:.1f}" r="{r}"',
        f'path d="M{x - r:.1f} {y - r:.1f}h{2 * r}v{2 * r}h{-2 * r}z"',
        f'path d="M{x:.1f} {y - 5.2:.1f}l5 9h-10z"',
        f'path d="M{x:.1f} {y - 5.6:.1f}l5 5.6l-5 5.6l-5 -5.6z"',
        f'path d="M{x:.1f} {y + 5.2:.1f}l5 -9h-10z"',
        f'path d="M{x - 5:.1f} {y:.1f}h10M{x:.1f} {y - 5:.1f}v10"',
        f'path d="M{x - 4:.1f} {y - 4:.1f}l8 8M{x - 4:.1f} {y + 4:.1f}l8 -8"',
        f'path d="M{x - 5:.1f} {y - 2.5:.1f}l5 -3l5 3v5l-5 3l-5 -3z"',
    )[index]
    kind = "mark" if index in (5, 6) else "point open" if index in (1, 4, 7) else "point"
    return element(f'{shape} class="{kind} c{index}"{attributes}', inside)


def element(start, inside):
    """An element with this name and attributes, and perhaps contents."""
    return f"<{start}>{inside}</{start.split(' ')[0]}>" if inside else f"<{start}/>"


class Point:
    """A point of a curve: value, the spread of the repetitions or None, whether the planner chose
    it, and the text for a reader who points at it."""

    def __init__(self, x, value, spread, chosen, told):
        self.x, self.value, self.spread, self.chosen, self.told = x, value, spread, chosen, told


class Picture:
    """curves: pairs of a label and its points.  line, band: a value, and a range around it, drawn
    behind the curves.  behind: further curves, thin and without points, and a text that names them.
    rows: draws bars instead, one row for each curve, which has one point."""

    def __init__(
        self,
        name,
        headline,
        subtitle,
        x_label,
        y_label,
        curves,
        *,
        rows=False,
        line=None,
        band=None,
        zero=False,
        behind=((), ""),
    ):
        self.name, self.headline, self.subtitle = name, headline, subtitle
        self.x_label, self.y_label, self.curves = x_label, y_label, curves
        self.rows, self.line, self.band, self.zero = rows, line, band, zero
        self.behind, self.behind_told = behind

    def svg(self, alone=True):
        """The picture's SVG; a picture on its own has its own style."""
        parts, width, height = self.draw_rows() if self.rows else self.draw_curves()
        space = ' xmlns="http://www.w3.org/2000/svg"' if alone else ""
        head = (
            f'<svg{space} class="picture" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
            f'data-name="{html.escape(self.name)}">\n'
            f"<title>{html.escape(self.headline)}: {html.escape(' '.join(self.subtitle))}</title>\n"
        )
        if alone:
            head += f"<style>{style()}</style>\n"
        head += f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>\n'
        return head + "\n".join(parts) + "\n</svg>\n"

    def titles(self):
        """Headline and subtitle, and their lower end."""
        parts = [write(14, 22, self.headline, kind="headline")]
        parts += [write(14, 41 + 17 * i, line) for i, line in enumerate(self.subtitle)]
        return parts, 41 + 17 * len(self.subtitle)

    def title_width(self):
        return 28 + max(
            [text_width(self.headline, 16)] + [text_width(line) for line in self.subtitle]
        )

    def values(self):
        return [
            value
            for _, points in (*self.curves, *self.behind)
            for point in points
            for value in (point.value,) + (point.spread or ())
        ]

    def height_scale(self, top):
        values = (
            self.values() + ([self.line] if self.line is not None else []) + list(self.band or ())
        )
        wide = min(values) > 0 and max(values) > 12 * min(values)
        return Scale(
            values,
            top + PLOT_HEIGHT,
            top,
            wide or self.band is not None,
            0 if self.zero and not wide else None,
        )

    def draw_curves(self):
        parts, top = self.titles()
        y = self.height_scale(top)
        left = math.ceil(36 + max(text_width(brief(tick)) for tick in y.ticks(9)))
        places = {point.x for _, points in self.curves for point in points}
        x = Scale(places, left, left + PLOT_WIDTH, min(places) > 0 and len(places) > 1)
        parts += self.draw_axes(x, y, left, top)
        parts += [draw_behind(label, points, x, y) for label, points in self.behind]
        for index, (label, points) in enumerate(self.curves):
            parts += draw_curve(index, label, points, x, y)
        legend, legend_width, legend_height = self.draw_legend(left + PLOT_WIDTH + 16, top)
        width = max(left + PLOT_WIDTH + 16 + legend_width + 8, self.title_width())
        return parts + legend, width, top + max(PLOT_HEIGHT + 52, legend_height)

    def draw_axes(self, x, y, left, top):
        right, bottom = left + PLOT_WIDTH, top + PLOT_HEIGHT
        parts = []
        if self.band:
            high, low = y.at(self.band[1]), y.at(self.band[0])
            parts.append(
                f'<rect class="band" x="{left}" y="{high:.1f}" width="{PLOT_WIDTH}" '
                f'height="{low - high:.1f}"/>'
            )
        for tick in y.ticks(9):
            place = y.at(tick)
            parts.append(f'<path class="grid" d="M{left} {place:.1f}H{right}"/>')
            parts.append(write(left - 7, place + 4, brief(tick), "end", "tick"))
        places = sorted({point.x for _, points in self.curves for point in points})
        if len(places) > 12:
            places = x.ticks(9)
        labels = [brief(place) for place in places]
        stand = apart([x.at(place) for place in places], [text_width(label) for label in labels])
        for index, place in enumerate(places):
            parts.append(f'<path class="grid" d="M{x.at(place):.1f} {top}V{bottom}"/>')
            if index in stand:
                parts.append(write(x.at(place), bottom + 18, labels[index], "middle", "tick"))
        if self.line is not None and y.first <= self.line <= y.last:
            parts.append(
                f'<path class="frame" stroke-dasharray="3 3" d="M{left} {y.at(self.line):.1f}'
                f'H{right}"/>'
            )
        parts.append(
            f'<path class="frame" d="M{left} {top}h{PLOT_WIDTH}v{PLOT_HEIGHT}h{-PLOT_WIDTH}z"/>'
        )
        parts.append(write((left + right) / 2, bottom + 38, self.x_label, "middle"))
        middle = (top + bottom) / 2
        parts.append(
            f'<g transform="rotate(-90 16 {middle})">'
            + write(16, middle + 4, self.y_label, "middle")
            + "</g>"
        )
        return parts

    def draw_legend(self, left, top):
        parts, place = [], top + 14
        for index, (label, _) in enumerate(self.curves):
            parts.append(
                f'<path class="curve c{index}" d="M{left} {place - 4}h34"{dashes(index)}/>'
            )
            parts.append(mark(index, left + 17, place - 4))
            parts.append(write(left + 42, place, label, kind="key"))
            place += ROW
        notes, told = [], []
        if self.behind:
            parts.append(f'<path class="behind" d="M{left} {place - 4}h34"/>')
            told.append(self.behind_told)
            notes.append(write(left + 42, place, told[-1]))
            place += ROW
        if any(point.chosen for _, points in self.curves for point in points):
            parts.append(f'<circle class="choice" cx="{left + 17}" cy="{place}" r="8.5"/>')
            told.append("the planner's choice")
            notes.append(write(left + 42, place + 4, told[-1]))
        width = 42 + max(text_width(text) for text in [label for label, _ in self.curves] + told)
        return parts + notes, width, place - top + 20

    def draw_rows(self):
        """Bars from 0 with their values, one row for each curve."""
        parts, top = self.titles()
        left = 22 + max(text_width(label) for label, _ in self.curves)
        points = [(label, points[0]) for label, points in self.curves]
        x = Scale(self.values() + list(self.band or ()), left, left + PLOT_WIDTH, False, 0)
        bottom = top + ROW * len(points) + 6
        if self.band:
            low, high = x.at(self.band[0]), x.at(self.band[1])
            parts.append(
                f'<rect class="band" x="{low:.1f}" y="{top}" width="{high - low:.1f}" '
                f'height="{bottom - top}"/>'
            )
        for tick in x.ticks(7):
            parts.append(f'<path class="grid" d="M{x.at(tick):.1f} {top}V{bottom}"/>')
            parts.append(write(x.at(tick), bottom + 18, brief(tick), "middle", "tick"))
        for index, (label, point) in enumerate(points):
            place = top + 16 + ROW * index
            end = x.at(point.value)
            parts.append(write(left - 8, place, label, "end", "key"))
            bar = (
                f'rect class="point c3" x="{left:.1f}" y="{place - 10}" width="{end - left:.1f}" '
                f'height="11"{data(label, point)}'
            )
            parts.append(element(bar, hint(label, point)))
            after = end
            if point.spread:
                low, high = x.at(point.spread[0]), x.at(point.spread[1])
                parts.append(f'<path class="frame" d="M{low:.1f} {place - 4.5}H{high:.1f}"/>')
                after = max(end, high)
            if point.chosen:
                parts.append(
                    f'<circle class="choice" cx="{after + 9:.1f}" cy="{place - 4}" r="5"/>'
                )
                after += 14
            parts.append(write(after + 6, place, brief(point.value)))
        parts.append(f'<path class="frame" d="M{left:.1f} {top}V{bottom}h{PLOT_WIDTH}"/>')
        parts.append(write(left + PLOT_WIDTH / 2, bottom + 38, self.y_label, "middle"))
        height = bottom + 52
        if any(point.chosen for _, point in points):
            parts.append(f'<circle class="choice" cx="20" cy="{bottom + 34}" r="5"/>')
            parts.append(write(30, bottom + 38, "the planner's choice"))
        return parts, max(left + PLOT_WIDTH + 90, self.title_width()), height


def dashes(index):
    return f' stroke-dasharray="{DASHES[index]}"' if DASHES[index] else ""


def data(label, point):
    """Attributes of a point for programs."""
    return f' data-curve="{html.escape(label)}" data-x="{point.x}" data-value="{point.value!r}"'


def hint(label, point):
    """The text of a point for readers who stay on it."""
    return "<title>" + html.escape(f"{label}, {point.told}") + "</title>"


def line_of(points, x, y):
    return "L".join(f"{x.at(point.x):.1f} {y.at(point.value):.1f}" for point in points)


def draw_behind(label, points, x, y):
    path = f'path class="behind" data-curve="{html.escape(label)}" d="M{line_of(points, x, y)}"'
    return element(path, f"<title>{html.escape(label)}</title>")


def draw_curve(index, label, points, x, y):
    points = sorted(points, key=lambda point: point.x)
    parts = []
    if len(points) > 1:
        line = line_of(points, x, y)
        parts.append(f'<path class="curve c{index}" d="M{line}"{dashes(index)}/>')
    for point in points:
        place, height = x.at(point.x), y.at(point.value)
        if point.spread and point.spread[0] < point.spread[1]:
            low, high = y.at(point.spread[0]), y.at(point.spread[1])
            parts.append(
                f'<path class="spread c{index}" d="M{place:.1f} {low:.1f}V{high:.1f}'
                f'M{place - 3:.1f} {low:.1f}h6M{place - 3:.1f} {high:.1f}h6"/>'
            )
        if point.chosen:
            parts.append(f'<circle class="choice" cx="{place:.1f}" cy="{height:.1f}" r="8.5"/>')
        parts.append(mark(index, place, height, data(label, point), hint(label, point)))
    return parts
