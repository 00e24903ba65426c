"""Tests a JSON Schema of specs: python3 schema.py SCHEMA LDP ROOT

The schema accepts every spec of the conformance kit, in canonical form, too, and every spec of the manual and the demo. In these
specs, each key in turn is renamed, replaced by null, or set beyond its bounds: the schema and the command refuse the result.
Prints each difference, and the number of specs.
"""

import copy
import json
import pathlib
import subprocess
import sys

import jsonschema

schema_file, program, root = sys.argv[1:]
root = pathlib.Path(root)
schema = json.load(open(schema_file, encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
faults = []


def faults_of(spec):
    return [f"{'/'.join(map(str, fault.path))}: {fault.message}" for fault in validator.iter_errors(spec)]


def command(action, spec):
    return subprocess.run([program, "spec", action, "-"], input=json.dumps(spec), capture_output=True, text=True, check=False)


def specs_in(text):
    """JSON objects in a text that are specs."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            found, length = decoder.raw_decode(text[at:])
        except json.JSONDecodeError:
            length = 1
        else:
            if "mechanism" in found and found.keys() & {"epsilon", "evolving"}:
                yield found
        at = text.find("{", at + length)


kit = [json.loads(line.split(" ", 2)[2]) for line in (root / "conformance/specs.txt").read_text().splitlines() if line[:1] != "#"]
pages = [root / "README.md", *sorted((root / "doc").glob("*.md")), *sorted((root / "demo").glob("*.*"))]
manual = [spec for page in pages for spec in specs_in(page.read_text(encoding="utf-8", errors="ignore"))]
canonical = [json.loads(command("resolve", spec).stdout) for spec in kit]
for spec in kit + manual + canonical:
    faults += [f"{json.dumps(spec)[:300]}: {fault}" for fault in faults_of(spec)]


def objects(value, path=()):
    """The objects in a spec with keys of the schema, each with its path. Numbers in a path are left out of its name."""
    if isinstance(value, list):
        for i, one in enumerate(value):
            yield from objects(one, (*path, i))
    elif isinstance(value, dict):
        if path[-1:] not in [("derived",), ("display",), ("people_asked",), ("max_margin_of_error",)] and "product" not in path:
            yield path, value
        if path[-1:] == ("derived",):
            return
        for key, one in value.items():
            yield from objects(one, (*path, key))


def changed(spec, path, change):
    copied = copy.deepcopy(spec)
    found = copied
    for step in path:
        found = found[step]
    change(found)
    return copied


def bounds(key):
    """Forms of a key in the schema that are numbers."""
    found = [place["properties"][key] for place in [schema, *schema["$defs"].values()] if key in place["properties"]]
    numbers = []
    while found:
        one = found.pop()
        found += one.get("anyOf", [])
        numbers += [one] if one.get("type") in ("integer", "number") else []
    return numbers


def beyond(key):
    """Values beyond all bounds of a key, whichever object has it."""
    numbers = bounds(key)
    if numbers and all("minimum" in one for one in numbers):
        yield min(one["minimum"] for one in numbers) - 1
    if numbers and all("maximum" in one for one in numbers):
        yield max(one["maximum"] for one in numbers) * 2 + 1


def set_key(key, value):
    return lambda found: found.update({key: value})


def rename(key):
    return lambda found: found.update({key + "_": found.pop(key)})


tried = set()
for spec in kit + canonical + manual:
    for path, found in objects(spec):
        where = tuple(step for step in path if isinstance(step, str))
        if where[:1] == ("stream",) and len(where) == 2:
            continue  # names of attributes
        for key in found:
            changes = [("renamed", rename(key)), ("null", set_key(key, None))]
            if isinstance(found[key], (int, float)) and not isinstance(found[key], bool):
                changes += [(f"set to {value}", set_key(key, value)) for value in beyond(key)]
            for name, change in changes:
                if (where, key, name) in tried:
                    continue
                tried.add((where, key, name))
                wrong = changed(spec, path, change)
                about = f"{'.'.join((*where, key))} {name} in {json.dumps(spec)[:200]}"
                if not faults_of(wrong):
                    faults.append(f"the schema accepts {about}")
                if command("check", wrong).returncode == 0:
                    faults.append(f"the command accepts {about}")

if len(kit) < 80 or len(manual) < 60 or len(tried) < 200:
    faults.append(f"only {len(kit)} specs of the kit, {len(manual)} of the manual, {len(tried)} changes")
print("\n".join(faults), f"{len(kit) + len(manual) + len(canonical)} specs, {len(tried)} changes", sep="\n")
sys.exit(bool(faults))
