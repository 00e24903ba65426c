"""Requests and responses in binary HTTP of known length (RFC 9292), padded with zeros."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping

#: Messages are padded to a multiple of this size, so that their length shows neither the method nor the status.
BLOCK = 1024


class Malformed(ValueError):
    """Bytes that are not a binary HTTP message of known length."""


@dataclass(frozen=True)
class RequestMessage:
    method: str
    scheme: str
    authority: str
    path: str
    fields: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""

    def encode(self, block: int = BLOCK) -> bytes:
        control = b"".join(_sized(part.encode("ascii")) for part in (self.method, self.scheme, self.authority, self.path))
        return _padded(b"\0" + control + _sections(self.fields, self.content), block)

    @staticmethod
    def decode(encoded: bytes) -> RequestMessage:
        reader = _Reader(encoded)
        if reader.number() != 0:
            raise Malformed("not a request of known length")
        method, scheme, authority, path = (_text(reader.sized()) for _ in range(4))
        return RequestMessage(method, scheme, authority, path, *reader.sections())


@dataclass(frozen=True)
class ResponseMessage:
    status: int
    fields: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""

    def encode(self, block: int = BLOCK) -> bytes:
        return _padded(b"\1" + _number(self.status) + _sections(self.fields, self.content), block)

    @staticmethod
    def decode(encoded: bytes) -> ResponseMessage:
        reader = _Reader(encoded)
        if reader.number() != 1:
            raise Malformed("not a response of known length")
        while 100 <= (status := reader.number()) < 200:
            reader.fields()
        if not 200 <= status < 600:
            raise Malformed("not a status")
        return ResponseMessage(status, *reader.sections())


def _number(value: int) -> bytes:
    """Returns an integer of variable length (RFC 9000, section 16)."""
    for form, size in enumerate((1, 2, 4, 8)):
        if value < 1 << (8 * size - 2):
            return (value | form << (8 * size - 2)).to_bytes(size, "big")
    raise ValueError("the number is too large")


def _sized(part: bytes) -> bytes:
    return _number(len(part)) + part


def _sections(fields: Mapping[str, str], content: bytes) -> bytes:
    lines = b"".join(_sized(name.lower().encode("ascii")) + _sized(value.encode("latin-1")) for name, value in fields.items())
    return _sized(lines) + _sized(content) + _sized(b"")


def _padded(message: bytes, block: int) -> bytes:
    return message + bytes(-len(message) % block)


def _text(part: bytes) -> str:
    """Returns a text without control characters, so that it cannot begin another line of an HTTP/1.1 message."""
    if any(byte < 0x20 and byte != 0x09 or byte == 0x7F for byte in part):
        raise Malformed("a control character")
    return part.decode("latin-1")


class _Reader:
    def __init__(self, encoded: bytes) -> None:
        self._rest = memoryview(encoded)

    def _take(self, size: int) -> bytes:
        if len(self._rest) < size:
            raise Malformed("the message is incomplete")
        part, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return part

    def number(self) -> int:
        first = self._take(1)[0]
        size = 1 << (first >> 6)
        return int.from_bytes(bytes([first & 0x3F]) + self._take(size - 1), "big")

    def sized(self) -> bytes:
        return self._take(self.number())

    def fields(self) -> dict[str, str]:
        lines = _Reader(self.sized())
        found: dict[str, str] = {}
        while lines._rest:
            name, value = _text(lines.sized()), _text(lines.sized())
            if not name or name.startswith(":") or name != name.lower() or name in found:
                raise Malformed("a field name is invalid or repeated")
            found[name] = value
        return found

    def sections(self) -> tuple[dict[str, str], bytes]:
        """Returns fields and content. A message may end before empty sections; only zeros may follow the last one."""
        fields = self.fields() if self._rest else {}
        content = self.sized() if self._rest else b""
        if self._rest and self.fields():
            raise Malformed("the message has trailers")
        if any(self._rest):
            raise Malformed("the padding is not zero")
        return fields, content
