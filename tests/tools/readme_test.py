"""Every block of C++ in README.md stands, line by line, in an example: what is compiled there is what is shown."""
import re
from pathlib import Path

root = Path(__file__).resolve().parents[2]
blocks = re.findall(r"^```cpp\n(.*?)^```", (root / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
examples = [path.read_text(encoding="utf-8") for path in sorted((root / "examples").glob("*.?pp"))]
assert blocks, "README.md shows no C++"
for block in blocks:
    assert any(block in example for example in examples), f"not in examples/:\n{block}"
print(f"{len(blocks)} blocks of C++ stand in examples/")
