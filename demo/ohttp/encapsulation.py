"""Encapsulated requests and responses of Oblivious HTTP (RFC 9458).

The cipher suite is DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM, which RFC 9458 uses in its example. HPKE (RFC 9180) in
base mode is built from the primitives of the package cryptography.
"""

from __future__ import annotations

import hmac
import os
import struct
from dataclasses import dataclass
from typing import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

_KEM, _KDF, _AEAD = 0x0020, 0x0001, 0x0001
_KEM_SUITE = b"KEM" + struct.pack("!H", _KEM)
_HPKE_SUITE = b"HPKE" + struct.pack("!HHH", _KEM, _KDF, _AEAD)
_PUBLIC_SIZE, _KEY_SIZE, _NONCE_SIZE = 32, 16, 12
_HEADER = struct.Struct("!BHHH")  # the key identifier and the algorithms

#: The bytes that encapsulation adds to a request and to a response.
REQUEST_OVERHEAD = _HEADER.size + _PUBLIC_SIZE + 16
RESPONSE_OVERHEAD = max(_KEY_SIZE, _NONCE_SIZE) + 16


class Refused(ValueError):
    """A message that cannot be decapsulated, or a key configuration that is damaged or has no supported algorithms."""


def _extract(salt: bytes, secret: bytes) -> bytes:
    return hmac.digest(salt, secret, "sha256")


def _expand(key: bytes, info: bytes, size: int) -> bytes:
    return HKDFExpand(SHA256(), size, info).derive(key)


def _labeled_extract(suite: bytes, salt: bytes, label: bytes, secret: bytes) -> bytes:
    return _extract(salt, b"HPKE-v1" + suite + label + secret)


def _labeled_expand(suite: bytes, key: bytes, label: bytes, info: bytes, size: int) -> bytes:
    return _expand(key, struct.pack("!H", size) + b"HPKE-v1" + suite + label + info, size)


def _public_bytes(key: X25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


class Context:
    """An HPKE context in base mode (RFC 9180, section 5.1), for one message. `enc` is the encapsulated key."""

    def __init__(self, private: X25519PrivateKey, peer: bytes, enc: bytes, recipient: bytes, info: bytes) -> None:
        try:
            shared = private.exchange(X25519PublicKey.from_public_bytes(peer))
        except ValueError as error:  # a point of small order gives a shared secret of zeros
            raise Refused("the public key is invalid") from error
        self.enc = enc
        key = _labeled_extract(_KEM_SUITE, b"", b"eae_prk", shared)
        self.shared = _labeled_expand(_KEM_SUITE, key, b"shared_secret", enc + recipient, 32)
        schedule = b"\0" + _labeled_extract(_HPKE_SUITE, b"", b"psk_id_hash", b"") + _labeled_extract(_HPKE_SUITE, b"", b"info_hash", info)
        secret = _labeled_extract(_HPKE_SUITE, self.shared, b"secret", b"")
        self.key = _labeled_expand(_HPKE_SUITE, secret, b"key", schedule, _KEY_SIZE)
        self.nonce = _labeled_expand(_HPKE_SUITE, secret, b"base_nonce", schedule, _NONCE_SIZE)
        self._exporter = _labeled_expand(_HPKE_SUITE, secret, b"exp", schedule, 32)

    @staticmethod
    def of_sender(recipient: bytes, info: bytes, ephemeral: X25519PrivateKey | None = None) -> Context:
        """Returns the context of a sender. Only tests pass the ephemeral key: another message must have another key."""
        ephemeral = ephemeral or X25519PrivateKey.generate()
        return Context(ephemeral, recipient, _public_bytes(ephemeral), recipient, info)

    @staticmethod
    def of_recipient(private: X25519PrivateKey, enc: bytes, info: bytes) -> Context:
        return Context(private, enc, enc, _public_bytes(private), info)

    def seal(self, plaintext: bytes, associated: bytes = b"") -> bytes:
        """Encrypts the first message of the context. A context encrypts one message, so the base nonce is used once."""
        return AESGCM(self.key).encrypt(self.nonce, plaintext, associated)

    def open(self, ciphertext: bytes, associated: bytes = b"") -> bytes:
        try:
            return AESGCM(self.key).decrypt(self.nonce, ciphertext, associated)
        except (InvalidTag, ValueError) as error:
            raise Refused("the message is damaged or was encrypted for another key") from error

    def export(self, context: bytes, size: int) -> bytes:
        return _labeled_expand(_HPKE_SUITE, self._exporter, b"sec", context, size)

    def response_key(self, nonce: bytes) -> tuple[AESGCM, bytes]:
        """Returns the cipher and the nonce of the response with this random nonce (RFC 9458, section 4.4)."""
        secret = self.export(b"message/bhttp response", max(_KEY_SIZE, _NONCE_SIZE))
        key = _extract(self.enc + nonce, secret)
        return AESGCM(_expand(key, b"key", _KEY_SIZE)), _expand(key, b"nonce", _NONCE_SIZE)

    def seal_response(self, message: bytes, nonce: bytes | None = None) -> bytes:
        """Returns the encapsulated response. Only tests pass the random nonce."""
        nonce = nonce or os.urandom(max(_KEY_SIZE, _NONCE_SIZE))
        cipher, inner = self.response_key(nonce)
        return nonce + cipher.encrypt(inner, message, b"")

    def open_response(self, response: bytes) -> bytes:
        size = max(_KEY_SIZE, _NONCE_SIZE)
        cipher, inner = self.response_key(response[:size])
        try:
            return cipher.decrypt(inner, response[size:], b"")
        except (InvalidTag, ValueError) as error:
            raise Refused("the response is damaged or belongs to another request") from error


@dataclass(frozen=True)
class KeyConfiguration:
    """The public key of a gateway (RFC 9458, section 3.1)."""

    id: int
    public: bytes

    def encode(self) -> bytes:
        return struct.pack("!BH", self.id, _KEM) + self.public + struct.pack("!HHH", 4, _KDF, _AEAD)

    @staticmethod
    def decode(encoded: bytes) -> KeyConfiguration:
        """Reads a configuration. Raises Refused if it has another KEM, or not the KDF and AEAD of this module."""
        start = 3 + _PUBLIC_SIZE
        if len(encoded) < start + 2 or struct.unpack_from("!H", encoded, 1)[0] != _KEM:
            raise Refused("the key configuration is damaged or has another KEM")
        algorithms = encoded[start + 2:]
        if len(algorithms) != struct.unpack_from("!H", encoded, start)[0] or len(algorithms) % 4:
            raise Refused("the key configuration is damaged")
        if (_KDF, _AEAD) not in struct.iter_unpack("!HH", algorithms):
            raise Refused("the key configuration has no supported algorithms")
        return KeyConfiguration(encoded[0], encoded[3:start])


def encode_list(configurations: Sequence[KeyConfiguration]) -> bytes:
    """Returns the content of the media type application/ohttp-keys (RFC 9458, section 3.2)."""
    encoded = [one.encode() for one in configurations]
    return b"".join(struct.pack("!H", len(one)) + one for one in encoded)


def first_supported(encoded: bytes) -> KeyConfiguration:
    """Returns the first configuration of a list that has the algorithms of this module. Raises Refused."""
    while encoded:
        size = int.from_bytes(encoded[:2], "big")
        one, encoded = encoded[2:2 + size], encoded[2 + size:]
        try:
            return KeyConfiguration.decode(one)
        except Refused:
            continue
    raise Refused("no key configuration is supported")


@dataclass(frozen=True)
class GatewayKey:
    """The private key of a gateway and its identifier. A key file has one key on each line, with the newest first."""

    id: int
    private: X25519PrivateKey

    @property
    def configuration(self) -> KeyConfiguration:
        return KeyConfiguration(self.id, _public_bytes(self.private))

    def line(self) -> str:
        return f"{self.id} {self.private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption()).hex()}\n"

    @staticmethod
    def of_line(line: str) -> GatewayKey:
        number, private = line.split()
        return GatewayKey(int(number), X25519PrivateKey.from_private_bytes(bytes.fromhex(private)))


def _info(header: bytes) -> bytes:
    return b"message/bhttp request\0" + header


def encapsulate(configuration: KeyConfiguration, message: bytes, ephemeral: X25519PrivateKey | None = None) -> tuple[bytes, Context]:
    """Returns the encapsulated request and the context that opens its response (RFC 9458, section 4.3)."""
    header = _HEADER.pack(configuration.id, _KEM, _KDF, _AEAD)
    context = Context.of_sender(configuration.public, _info(header), ephemeral)
    return header + context.enc + context.seal(message), context


def decapsulate(keys: Sequence[GatewayKey], request: bytes) -> tuple[bytes, Context]:
    """Returns the message of an encapsulated request and the context that seals its response. Raises Refused."""
    if len(request) < REQUEST_OVERHEAD:
        raise Refused("the encapsulated request is incomplete")
    header = request[:_HEADER.size]
    number, *algorithms = _HEADER.unpack(header)
    key = next((one for one in keys if one.id == number), None)
    if key is None or algorithms != [_KEM, _KDF, _AEAD]:
        raise Refused("the key or the algorithms are unknown")
    end = _HEADER.size + _PUBLIC_SIZE
    context = Context.of_recipient(key.private, request[_HEADER.size:end], _info(header))
    return context.open(request[end:]), context
