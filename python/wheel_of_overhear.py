"""Builds wheels of overhear with the standard library alone, so that installing needs no network.

For pip it is the build backend: where no `simulate` is found, it builds one with Go into the wheel.
For a release: python3 wheel_of_overhear.py VERSION BINARY PLATFORM DIRECTORY, with a wheel's platform tag.
The same sources and binary give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = "0.1"


def write(version: str, binary: Path | None, platform: str, directory: Path) -> str:
    """Write a wheel, with the binary inside if there is one, and return its file's name."""
    tag = f"py3-none-{platform}"
    name = f"overhear-{version}-{tag}.whl"
    info = f"overhear-{version}.dist-info"
    metadata = (f"Metadata-Version: 2.1\nName: overhear\nVersion: {version}\nRequires-Python: >=3.10\n"
                "Requires-Dist: numpy\nLicense: Apache-2.0\n"
                "Summary: Simulate private distributed learning on a network, and measure what it gives away\n")
    wheel = (f"Wheel-Version: 1.0\nGenerator: overhear\nRoot-Is-Purelib: {str(binary is None).lower()}\n"
             f"Tag: {tag}\n")
    files: list[tuple[str, bytes, int]] = []
    for path in sorted((HERE / "overhear").iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            files.append((f"overhear/{path.name}", path.read_bytes(), 0o644))
    if binary is not None:
        inside = "simulate.exe" if platform.startswith("win") else "simulate"
        files.append((f"overhear/{inside}", binary.read_bytes(), 0o755))
    files += [(f"{info}/METADATA", metadata.encode(), 0o644), (f"{info}/WHEEL", wheel.encode(), 0o644)]
    record = ""
    with zipfile.ZipFile(directory / name, "w", zipfile.ZIP_DEFLATED) as z:
        def add(path: str, content: bytes, mode: int) -> None:
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, content)
        for path, content, mode in files:
            add(path, content, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
        add(f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644)
    return name


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Build a wheel for pip."""
    out = Path(wheel_directory)
    if os.environ.get("OVERHEAR_SIMULATE") or shutil.which("simulate"):
        return write(VERSION, None, "any", out)
    module = HERE.parent
    if not (module / "go.mod").exists() or shutil.which("go") is None:
        raise SystemExit("overhear needs the command simulate: put it on PATH, name it in OVERHEAR_SIMULATE, or "
                         "install Go from https://go.dev/dl and run pip in a clone, as in pip install ./python")
    with tempfile.TemporaryDirectory() as temporary:
        binary = Path(temporary) / "simulate"
        subprocess.run(["go", "build", "-trimpath", "-o", str(binary), "./cmd/simulate"], cwd=module, check=True,
                       env={**os.environ, "CGO_ENABLED": "0"})
        return write(VERSION, binary, re.sub(r"[-.]", "_", sysconfig.get_platform()), out)


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Refuse: the command's sources are in the repository, and not below this directory."""
    raise SystemExit("overhear is installed from a clone (pip install ./python) or from a release's wheel")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    # PEP 440: what follows the numbers of a version is local to it.
    numbers = re.match(r"v?(\d+(?:\.\d+)*)(.*)", sys.argv[1])
    rest = re.sub(r"[^a-z0-9]+", ".", (numbers[2] if numbers else sys.argv[1]).lower()).strip(".")
    made = (numbers[1] if numbers else VERSION) + (f"+{rest}" if rest else "")
    print(write(made, Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4])))
