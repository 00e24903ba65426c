"""Builds the package without other packages (PEP 517, PEP 660), so that pip needs no index and leaves no files behind."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import tarfile
import zipfile

_root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Python has written this module's bytecode beside it.
if __cached__ and os.path.exists(__cached__):
    os.remove(__cached__)
    if not os.listdir(os.path.dirname(__cached__)):
        os.rmdir(os.path.dirname(__cached__))
_epoch = (1980, 1, 1, 0, 0, 0)  # so that equal sources give equal bytes


def _read(name: str) -> str:
    with open(os.path.join(_root, name), encoding="utf-8") as file:
        return file.read()


def _field(key: str) -> str:
    found = re.search(rf'^{key} = "([^"]+)"$', _read("pyproject.toml"), re.MULTILINE)
    if found is None:
        raise RuntimeError(f"pyproject.toml has no {key}")
    return found.group(1)


def _metadata() -> str:
    return (f"Metadata-Version: 2.1\nName: ldp\nVersion: {_field('version')}\nSummary: {_field('description')}\n"
            f"License: PostgreSQL\nRequires-Python: {_field('requires-python')}\n"
            "Provides-Extra: frames\nRequires-Dist: pandas; extra == 'frames'\n"
            "Provides-Extra: arrays\nRequires-Dist: numpy; extra == 'arrays'\n"
            f"Description-Content-Type: text/markdown\n\n{_read('README.md')}")


def _sources() -> dict[str, bytes]:
    """Returns the files of the package by their names in a wheel."""
    found: dict[str, bytes] = {}
    for name in sorted(os.listdir(os.path.join(_root, "ldp"))):
        if name.endswith(".py") or name == "py.typed":
            with open(os.path.join(_root, "ldp", name), "rb") as file:
                found[f"ldp/{name}"] = file.read()
    return found


def _wheel(folder: str, files: dict[str, bytes]) -> str:
    version = _field("version")
    info = f"ldp-{version}.dist-info"
    files = {**files, f"{info}/METADATA": _metadata().encode(),
             f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: ldp\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"ldp-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _epoch)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    return _wheel(wheel_directory, _sources())


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    return _wheel(wheel_directory, {"ldp-editable.pth": f"{_root}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    base = f"ldp-{_field('version')}"
    with tarfile.open(os.path.join(sdist_directory, f"{base}.tar.gz"), "w:gz") as archive:
        for name in ("pyproject.toml", "README.md", "build_backend/ldp_wheel.py", *_sources()):
            archive.add(os.path.join(_root, name), f"{base}/{name}")
    return f"{base}.tar.gz"
