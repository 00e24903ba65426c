"""Builds the package without other packages (PEP 517, PEP 660), so that pip needs no index and leaves no files behind.

The setting `library` (pip wheel --config-settings library=FILE) puts a shared library into the wheel, which then needs neither
a compiler nor an installed ldp. `make wheel` builds such a library. The setting `licenses` names folders whose file `copyright` is
added, separated by colons.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
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
    for folder in ("ldp", "ldp/benchmark"):
        for name in sorted(os.listdir(os.path.join(_root, folder))):
            if name.endswith(".py") or name == "py.typed":
                with open(os.path.join(_root, folder, name), "rb") as file:
                    found[f"{folder}/{name}"] = file.read()
    return found


def _platform(library: str) -> str:
    """Returns the platform tag (PEP 600) of a shared library. Rejects a library that needs more than the C library of a machine."""
    found = subprocess.run(["readelf", "--wide", "--file-header", "--dynamic", "--version-info", library], capture_output=True, text=True,
                           check=True, env={**os.environ, "LC_ALL": "C"}).stdout
    for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", found):
        if not re.fullmatch(r"lib(c|m|dl|rt|pthread)\.so\.\d+|ld-linux[-\w]*\.so\.\d+", needed):
            raise RuntimeError(f"{library} needs {needed}, which other machines may not have: build it with make wheel")
    machines = re.findall(r"^ *Machine: *(.*?) *$", found, re.MULTILINE)
    machine = {"Advanced Micro Devices X86-64": "x86_64", "AArch64": "aarch64"}.get(machines[0] if machines else "")
    versions = [int(version) for version in re.findall(r"\bGLIBC_2\.(\d+)", found)]
    if machine is None or not versions:
        raise RuntimeError(f"{library} is not a library of x86_64 or aarch64 for the GNU C library")
    return f"manylinux_2_{max(versions)}_{machine}"


def _library_files(settings: object, info: str) -> tuple[str, dict[str, bytes]]:
    """Returns the platform tag of the wheel, and the files that the settings add."""
    given = settings if isinstance(settings, dict) else {}
    if not given.get("library"):
        return "any", {}
    names = {"ldp/libldp.so": str(given["library"])}
    for folder in filter(None, str(given.get("licenses", "")).split(":")):
        names[f"{info}/licenses/{os.path.basename(folder)}"] = os.path.join(folder, "copyright")
    files = {}
    for name, path in names.items():
        with open(path, "rb") as file:
            files[name] = file.read()
    return _platform(names["ldp/libldp.so"]), files


def _wheel(folder: str, files: dict[str, bytes], settings: object = None) -> str:
    version = _field("version")
    info = f"ldp-{version}.dist-info"
    platform, added = _library_files(settings, info)
    pure = "true" if platform == "any" else "false"
    files = {**files, **added, f"{info}/METADATA": _metadata().encode(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: ldp\nRoot-Is-Purelib: {pure}\nTag: py3-none-{platform}\n".encode()}
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"ldp-{version}-py3-none-{platform}.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _epoch)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    return _wheel(wheel_directory, _sources(), config_settings)


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    return _wheel(wheel_directory, {"ldp-editable.pth": f"{_root}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    base = f"ldp-{_field('version')}"
    with tarfile.open(os.path.join(sdist_directory, f"{base}.tar.gz"), "w:gz") as archive:
        for name in ("pyproject.toml", "README.md", "build_backend/ldp_wheel.py", *_sources()):
            archive.add(os.path.join(_root, name), f"{base}/{name}")
    return f"{base}.tar.gz"
