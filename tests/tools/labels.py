"""labels.py NODES SVG ...: checks that in the picture of a layout no label overlaps another one or
leaves the picture or its node, and that all nodes are there, each once.  Widths are those of
DejaVu Sans, which is wider than Helvetica and Arial.  One line a fault; exit status 1 if there
is one.
"""

import re
import sys
import xml.etree.ElementTree as tree

SPACE = "{http://www.w3.org/2000/svg}"


def width(text, size):
    narrow = sum(letter in "ijl.,:;()[]' " for letter in text)
    return size * (0.36 * narrow + 0.636 * (len(text) - narrow))


def labels(element, place, turned, found):
    """The boxes of all texts below an element, as left, top, right, bottom; and the circles."""
    transform = element.get("transform", "")
    moved = re.match(r"translate\(([-0-9.]+) ([-0-9.]+)\)", transform)
    if moved:
        place = (place[0] + float(moved.group(1)), place[1] + float(moved.group(2)))
    turned = turned or transform.endswith("rotate(-90)")
    if element.tag == SPACE + "text":
        found["text"].append((element.text or "", box(element, place, turned)))
    if element.tag == SPACE + "circle":
        middle = (place[0] + float(element.get("cx")), place[1] + float(element.get("cy")))
        found["circle"].append(middle + (float(element.get("r")),))
    for child in element:
        labels(child, place, turned, found)


def box(element, place, turned):
    text, size = element.text or "", float(element.get("font-size"))
    x, y = float(element.get("x")), float(element.get("y"))
    wide = width(text, size)
    left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor")]
    high, low = 0.73 * size, 0.2 * size if re.search("[a-z,]", text) else 0
    if turned:
        return place[0] + y - high, place[1] - left - wide, place[0] + y + low, place[1] - left
    return place[0] + left, place[1] + y - high, place[0] + left + wide, place[1] + y + low


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def pairs(boxes):
    """Labels that overlap, by a sweep from left to right."""
    active = []
    for text, one in sorted(boxes, key=lambda label: label[1]):
        active = [(name, other) for name, other in active if other[2] > one[0]]
        for name, other in active:
            if overlap(one, other):
                yield f"{text} runs into {name}"
        active.append((text, one))


def in_circles(found, nodes):
    """Each node has its number once, and the text in its circle does not leave it."""
    numbers = []
    for x, y, r in found["circle"]:
        inside = [
            (t, b) for t, b in found["text"] if b[0] <= x <= b[2] and y - r < b[1] and b[3] < y + r
        ]
        numbers += [text for text, _ in inside[:1]]
        for text, (left, top, right, bottom) in inside:
            if max(x - left, right - x) ** 2 + min(abs(y - top), abs(bottom - y)) ** 2 > r * r:
                yield f"{text} leaves its node"
    if sorted(map(int, numbers)) != list(range(nodes)):
        yield f"{len(numbers)} numbers of {nodes} nodes"


def faults(nodes, name):
    root = tree.parse(name).getroot()
    found = {"text": [], "circle": []}
    labels(root, (0, 0), False, found)
    right, bottom = float(root.get("width")), float(root.get("height"))
    for text, one in found["text"]:
        if not text:
            yield "a label is empty"
        if one[0] < 0 or one[1] < 0 or one[2] > right or one[3] > bottom:
            yield f"{text} is cut off"
    yield from pairs(found["text"])
    yield from in_circles(found, nodes)


found = [
    f"{name}: {fault}"
    for nodes, name in zip(sys.argv[1::2], sys.argv[2::2], strict=True)
    for fault in faults(int(nodes), name)
]
if found:
    print("\n".join(found))
sys.exit(bool(found))
