"""page.py PAGE RECORDS...: checks that the page of `report` is whole and shows the contents of the
records.  Every element is closed, nothing is loaded from outside, no picture is empty, each
point stands where its value belongs and has the value of a record, and each record that has a
speed or a time is in a picture and in a table.  One line a fault; exit status 1 if there is one.
"""

import html.parser
import json
import math
import re
import sys
import xml.etree.ElementTree as tree

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Closed(html.parser.HTMLParser):
    """Reports elements that are not closed in their order, and names that are given twice."""

    def __init__(self):
        super().__init__()
        self.open, self.names, self.faults = [], set(), []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        name = dict(attributes).get("id")
        if name in self.names:
            self.faults.append(f"the name {name} is given twice")
        if name:
            self.names.add(name)
        for key, value in attributes:
            if key in ("src", "href", "xlink:href", "data", "action") and not value.startswith("#"):
                self.faults.append(f"{tag} asks for {value}")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"{tag} is closed where it is not open")


def records_of(names):
    found = []
    for name in names:
        with open(name, encoding="utf-8") as file:
            found += [json.loads(line) for line in file]
    return [record for record in found if record.get("status") == "HYLA_OK"]


def seconds_of(record):
    return record.get("seconds_median", record.get("time"))


def values_of(record):
    """The values of a record that pictures may show, apart from ratios to others."""
    known = [record.get(key) for key in ("gflops", "fraction", "gbytes_per_s", "ratio")]
    known.append(seconds_of(record))
    if record.get("seconds_predicted"):
        known.append(seconds_of(record) / record["seconds_predicted"])
    return {value for value in known if value is not None}


def start_of(element):
    """The place of a point, within some units."""
    if element.get("cx"):
        return float(element.get("cy"))
    return float(re.match(r"M[-0-9.]+ ([-0-9.]+)", element.get("d")).group(1))


def misplaced(picture, points):
    """Points that are not where the axis' labels say; the axis is linear or logarithmic, whichever
    fits.
    """
    ticks = [
        (float(text.text), float(text.get("y")) - 4)
        for text in picture.iter("text")
        if text.get("class") == "tick" and text.get("text-anchor") == "end"
    ]
    worst = []
    for turn in (float, lambda value: math.log(max(value, 1e-300))):
        (first, low), (last, high) = ticks[0], ticks[-1]
        slope = (high - low) / (turn(last) - turn(first))
        place = lambda value: low + slope * (turn(value) - turn(first))
        off = [abs(place(value) - y) for value, y in ticks]
        off += [abs(place(float(p.get("data-value"))) - start_of(p)) for p in points]
        worst.append(max(off))
    return min(worst) > 8


def check_picture(picture, known, shown):
    points = [element for element in picture.iter() if element.get("data-value")]
    name = picture.get("data-name")
    if not points or not name:
        yield f"the picture {name} is empty"
        return
    ratios = "crossover" in name
    for point in points:
        value = float(point.get("data-value"))
        shown.add(value)
        if value not in known and not (ratios and value >= 1):
            yield f"{name}: {value} of {point.get('data-curve')} is in no record"
    if points[0].tag != "rect" and misplaced(picture, points):
        yield f"{name}: a point is not where its value belongs"
    curves = [text.text for text in picture.iter("text") if text.get("class") == "key"]
    if len(set(curves)) != len(curves) or len(curves) > (16 if points[0].tag == "rect" else 8):
        yield f"{name}: curves {curves}"
    if {point.get("data-curve") for point in points} != set(curves):
        yield f"{name}: the curves are not those of the key"
    places = [(point.get("data-curve"), point.get("data-x")) for point in points]
    if len(set(places)) != len(places):
        yield f"{name}: a curve has two points at one place"


def faults(page, names):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    parser = Closed()
    parser.feed(text)
    parser.close()
    yield from parser.faults
    if parser.open:
        yield f"not closed: {parser.open}"
    for word in ("http:", "https:", "<script", "@import", "url("):
        if word in text:
            yield f"the page has {word}"
    root = tree.fromstring(text.split("\n", 1)[1])
    records = records_of(names)
    known = {value for record in records for value in values_of(record)}
    shown = set()
    for picture in root.iter("svg"):
        yield from check_picture(picture, known, shown)
    cells = {float(cell.get("data-value")) for cell in root.iter("td") if cell.get("data-value")}
    if not cells <= known | {record.get("residual") for record in records}:
        yield "a table has a number that is in no record"
    for record in records:
        speed = record.get("gflops") or record.get("gbytes_per_s") or seconds_of(record)
        if record.get("simulated"):
            speed = seconds_of(record)
        if speed not in shown:
            yield f"no picture has {record['op']} {record['variant']} with {speed}"
        if seconds_of(record) not in cells:
            yield f"no table has {record['op']} {record['variant']} with {seconds_of(record)} s"


found = list(faults(sys.argv[1], sys.argv[2:]))
print("\n".join(found))
sys.exit(bool(found))
