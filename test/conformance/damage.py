#!/usr/bin/env python3
"""Damages messages of the vector files of the core profile, and compares a program with the second implementation.

    damage.py [--count N] [--seed S] [--vectors DIRECTORY] PROGRAM [ARGUMENTS]

PROGRAM answers the JSON lines of conformance/README.md. For each damaged report, batch and summary, PROGRAM and the modules of
conformance/reference must agree whether it is valid. The damage follows from the seed. Prints the number of inputs for each
kind of damage, and the exit status is 1 if there is a disagreement.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[2] / "conformance"
sys.path.insert(0, str(ROOT / "reference"))

from ldp_reference.errors import Refused, Unsupported  # noqa: E402
from ldp_reference.messages import read_batch, read_report, read_summary  # noqa: E402
from ldp_reference.spec import Collection, open_collection  # noqa: E402

READERS: dict[str, Callable[[Collection, bytes], Any]] = {
    "report": read_report,
    "batch": read_batch,
    "summary": read_summary,
}
SHORT_HEAD = 2 + 8  # version, kind, fingerprint
SHOWN = 10  # disagreements


@dataclass(frozen=True)
class Message:
    """A valid message. `head` bytes precede the count, or the payload of a report. `payload` is the size of a payload."""

    kind: str
    data: bytes
    head: int
    payload: int

    @property
    def count_size(self) -> int:
        """Returns the size of the number of reports."""
        return {"report": 0, "batch": 4, "summary": 8}[self.kind]

    @property
    def body(self) -> int:
        """Returns the offset of the first payload, or of the state."""
        return self.head + self.count_size + (8 if self.kind == "summary" else 0)


class Subject:
    """A vector file: its collection, and its valid messages."""

    def __init__(self, path: Path) -> None:
        vector = json.loads(path.read_text("utf-8"))
        self.name = path.stem
        self.core = vector["profile"] == "core"
        self.spec = json.dumps(vector["spec"])
        if not self.core:
            return
        self.collection = open_collection(vector["spec"])
        block = len(vector["block"]) // 2
        payload = len(vector["reports"][0]) // 2 - block
        contents = [("report", report, block) for report in vector["reports"]]
        # A batch and the summary are drawn as often as all reports.
        for each in (("batch", vector["batch"], block), ("batch", vector["short_batch"], SHORT_HEAD),
                     ("summary", vector["summary"], block)):
            contents += [each] * len(vector["reports"])
        self.messages = [Message(kind, bytes.fromhex(data), head, payload) for kind, data, head in contents]


Damage = Callable[[random.Random, Message], bytes]


def position(source: random.Random, message: Message) -> int:
    """Returns an index of a byte. Three of four are beyond the head, where damage is harder to find."""
    if source.random() < 0.25 or message.head == len(message.data):
        return source.randrange(len(message.data))
    return source.randrange(message.head, len(message.data))


def flip_bits(source: random.Random, message: Message) -> bytes:
    """Flips one to three bits."""
    data = bytearray(message.data)
    for _ in range(source.randint(1, 3)):
        data[position(source, message)] ^= 1 << source.randrange(8)
    return bytes(data)


def replace_byte(source: random.Random, message: Message) -> bytes:
    """Sets a byte to any value, or to one that differs by 1."""
    data, at = bytearray(message.data), position(source, message)
    data[at] = source.choice([source.randrange(256), (data[at] + 1) % 256, (data[at] - 1) % 256])
    return bytes(data)


def truncate(source: random.Random, message: Message) -> bytes:
    """Removes bytes from the end: a few, whole payloads, or any number."""
    payloads = message.payload * source.randint(1, 3)
    removed = source.choice([source.randint(1, 9), payloads, source.randint(1, len(message.data))])
    return message.data[:max(len(message.data) - removed, 0)]


def extend(source: random.Random, message: Message) -> bytes:
    """Adds bytes to the end: a few, or whole payloads of zeros or of random bytes."""
    size = source.choice([source.randint(1, 9), message.payload * source.randint(1, 3)])
    return message.data + source.choice([bytes(size), source.randbytes(size)])


def swap_payloads(source: random.Random, message: Message) -> bytes:
    """Exchanges two payloads of a batch, or two slices of the payload or of the state."""
    data, body = bytearray(message.data), message.body
    size = message.payload if message.kind == "batch" else source.choice([1, 2, 8])
    slots = (len(data) - body) // size
    if slots < 2:
        return flip_bits(source, message)
    one, other = (body + size * slot for slot in source.sample(range(slots), 2))
    data[one:one + size], data[other:other + size] = data[other:other + size], data[one:one + size]
    return bytes(data)


def replace_payload(source: random.Random, message: Message) -> bytes:
    """Replaces a payload, or as many bytes of a state, by zeros, ones or random bytes."""
    data, body = bytearray(message.data), message.body
    slots = max((len(data) - body) // message.payload, 1)
    at = body + message.payload * source.randrange(slots)
    size = len(data[at:at + message.payload])
    data[at:at + size] = source.choice([bytes(size), b"\xff" * size, source.randbytes(size)])
    return bytes(data)


def change_count(source: random.Random, message: Message) -> bytes:
    """Changes the number of reports, and for a batch adds or removes as many payloads half of the time."""
    size = message.count_size
    if not size:
        return replace_payload(source, message)
    count = int.from_bytes(message.data[message.head:message.head + size], "little")
    changed = source.choice([0, count - 1, count + 1, 2 * count, count + 2 ** 40, source.getrandbits(8 * size)])
    changed %= 1 << 8 * size
    rest = message.data[message.head + size:]
    if message.kind == "batch" and changed <= 2 * count and source.random() < 0.5:
        rest = (rest + rest[-message.payload:] * count)[:changed * message.payload]
    return message.data[:message.head] + changed.to_bytes(size, "little") + rest


DAMAGES: tuple[Damage, ...] = (
    flip_bits, replace_byte, truncate, extend, swap_payloads, replace_payload, change_count)


class Program:
    """The program that is compared."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def accepts(self, spec: str, kind: str, data: bytes) -> bool:
        """Returns whether the program takes a message as valid. Raises RuntimeError without an answer."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(
            f'{{"verb": "read", "kind": "{kind}", "bytes": "{data.hex()}", "spec": {spec}}}\n'.encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {}
        if "ok" not in answer and "refused" not in answer:
            raise RuntimeError(f"no answer: {line!r} to {kind} {data.hex()}")
        return "ok" in answer

    def close(self) -> None:
        """Ends the program."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


def reference_accepts(collection: Collection, kind: str, data: bytes) -> bool:
    """Returns whether the second implementation takes a message as valid. A mechanism that it does not have is invalid."""
    try:
        READERS[kind](collection, data)
    except (Refused, Unsupported):
        return False
    return True


def sound_faults(program: Program, subjects: list[Subject]) -> list[str]:
    """Returns the undamaged messages that one side refuses."""
    return [
        f"{subject.name}: an undamaged {message.kind} is refused"
        for subject in subjects
        for message in {id(message): message for message in subject.messages}.values()
        if not (reference_accepts(subject.collection, message.kind, message.data)
                and program.accepts(subject.spec, message.kind, message.data))
    ]


def compare(program: Program, subjects: list[Subject], count: int, source: random.Random) -> tuple[list[str], Counter[Any]]:
    """Returns the disagreements about `count` damaged messages, and the numbers of inputs by damage and verdict.

    The inputs of a spec follow one another, so that programs can keep the spec.
    """
    differences, tally = [], Counter[Any]()
    for index, subject in enumerate(subjects):
        for _ in range(count * (index + 1) // len(subjects) - count * index // len(subjects)):
            message, damage = source.choice(subject.messages), source.choice(DAMAGES)
            data = damage(source, message)
            wanted = reference_accepts(subject.collection, message.kind, data)
            tally[damage.__name__, wanted] += 1
            if program.accepts(subject.spec, message.kind, data) != wanted:
                verdict = "valid" if wanted else "invalid"
                differences.append(f"{subject.name}, {damage.__name__}: {verdict} only for the second implementation: "
                                   f"{message.kind} {data.hex()}")
    return differences, tally


def seconds() -> float:
    """Returns the processor time of this program and of ended programs that it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> int:
    """Compares the program. Returns the exit status."""
    parser = argparse.ArgumentParser(description="compare a program with the second implementation on damaged messages")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--vectors", type=Path, default=ROOT / "vectors")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    subjects = [subject for path in sorted(arguments.vectors.glob("*.json")) if (subject := Subject(path)).core]
    if not arguments.program or not subjects:
        parser.error("no PROGRAM" if subjects else f"no vector files in {arguments.vectors}")
    program = Program(arguments.program)
    faults = sound_faults(program, subjects)
    differences, tally = compare(program, subjects, arguments.count, random.Random(arguments.seed))
    program.close()
    for damage in DAMAGES:
        valid, invalid = tally[damage.__name__, True], tally[damage.__name__, False]
        print(f"{damage.__name__:16} {valid:6} valid {invalid:6} invalid")
    print("\n".join((faults + differences)[:SHOWN]))
    print(f"{sum(tally.values()):,} damaged messages of {len(subjects)} specs compared in {seconds():.1f} s of processor "
          f"time: {len(faults) + len(differences)} differences")
    return 1 if faults or differences else 0


if __name__ == "__main__":
    sys.exit(main())
