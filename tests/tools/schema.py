"""schema.py SCHEMA: compares each line of standard input with a JSON schema; exit status 1 if one
does not fit.  It knows the words that the schema uses, and refuses others; the module jsonschema
is asked too if it is installed.
"""

import json
import re
import sys

KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}
SILENT = {"$schema", "title", "description", "$defs"}


def is_kind(value, kind):
    if kind in ("integer", "number"):
        kinds = (int,) if kind == "integer" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def faults(value, schema, root, place):
    """The faults of a value, a line each."""
    for word, wanted in schema.items():
        if word in SILENT:
            continue
        if word == "$ref":
            yield from faults(value, root["$defs"][wanted.rsplit("/", 1)[1]], root, place)
        elif word == "type":
            kinds = wanted if isinstance(wanted, list) else [wanted]
            if not any(is_kind(value, kind) for kind in kinds):
                yield f"{place}: {value!r} is no {wanted}"
                return
        elif word == "enum":
            if value not in wanted:
                yield f"{place}: {value!r} is none of {wanted}"
        elif word == "minimum":
            if value is not None and value < wanted:
                yield f"{place}: {value} is below {wanted}"
        elif word == "pattern":
            if not re.search(wanted, value):
                yield f"{place}: {value!r} does not match {wanted}"
        elif word == "minItems":
            if len(value) < wanted:
                yield f"{place}: fewer than {wanted}"
        elif word == "required":
            yield from (f"{place}: {key} is missing" for key in wanted if key not in value)
        elif word == "properties":
            for key in value.keys() & wanted.keys():
                yield from faults(value[key], wanted[key], root, f"{place}.{key}")
        elif word == "additionalProperties":
            for key in value.keys() - schema["properties"].keys():
                yield f"{place}: {key} is not known"
        elif word == "items":
            for i, item in enumerate(value):
                yield from faults(item, wanted, root, f"{place}[{i}]")
        else:
            yield f"the schema's word {word} is not known here"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    records = [json.loads(line) for line in sys.stdin]
    found = [] if records else ["there are no records"]
    for i, record in enumerate(records, 1):
        found += faults(record, schema, schema, f"record {i}")
    try:
        import jsonschema

        jsonschema.Draft202012Validator.check_schema(schema)
        for record in records:
            found += [e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(record)]
    except ImportError:
        pass
    for line in found:
        print(line)
    return 1 if found else 0


sys.exit(main())
