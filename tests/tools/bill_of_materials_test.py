"""The bill of materials names whatever docs/dependencies.md says is built in, with version and licence, and the same each time."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
told = []
for _ in range(2):
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([sys.executable, root / "tools/bill_of_materials", "1.2.3", work], check=True)
        told.append((Path(work, "sotto.cdx.json").read_text(), Path(work, "copyright").read_text()))
assert told[0] == told[1]
bill, notices = json.loads(told[0][0]), told[0][1]
assert bill["metadata"]["component"]["version"] == "1.2.3"
components = {component["name"]: component for component in bill["components"]}
for name, licence in {"libeigen3-dev": "MPL-2.0", "libhwy-dev": "Apache-2.0 OR BSD-3-Clause", "pyarrow": "Apache-2.0", "nanobind": "BSD-3-Clause"}.items():
    assert components[name]["licenses"] == [{"expression": licence}], components[name]
for name, component in components.items():
    assert name == "threads" or re.search(r"^pkg:(deb/debian|pypi)/\S+@\d", component["purl"]), component
for text in ("Mozilla Public License", "Boost Software License", "Apache License", "libsodium", "Wenzel Jakob", "the Sotto developers"):
    assert text in notices, text
print(f"{len(components)} components, {len(notices)} characters of licences")
