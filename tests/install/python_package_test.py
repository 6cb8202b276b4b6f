"""The Python package's archives, without building any: the version stands in one place, and all sources are in.

usage: python_package_test.py PROJECT_FOLDER VERSION
"""
import os
import sys
import tarfile
import tempfile
from pathlib import Path

from scikit_build_core import build

root, version = Path(sys.argv[1]), sys.argv[2]
os.chdir(root)
with tempfile.TemporaryDirectory() as work:
    metadata = Path(work, build.prepare_metadata_for_build_wheel(work), "METADATA").read_text(encoding="utf-8")
    assert f"\nVersion: {version}\n" in metadata, metadata[:200]
    with tarfile.open(Path(work, build.build_sdist(work))) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}

folders = [root / folder for folder in ("cmake", "experiments/published", "python/sotto", "src")]
sources = [path.relative_to(root).as_posix() for folder in folders for path in folder.rglob("*.*") if "__pycache__" not in path.parts]
missing = sorted(set(sources) - packed)
assert sources and not missing, f"not in the source archive: {missing}"
print(f"version {version}, and all {len(sources)} sources are in the archive")
