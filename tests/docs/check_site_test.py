"""docs/extensions/check_site.py finds what it is for."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/extensions"))
sys.dont_write_bytecode = True
from check_site import faults  # noqa: E402

SOUND = '<link rel="stylesheet" href="a.css"><a href="b.html#there">b</a><a href="https://example.org">elsewhere</a><img src="a.png" alt="a">'
PLANTED = {
    '<script src="https://example.org/a.js"></script>': "loads https://example.org/a.js",
    '<script src="//example.org/a.js"></script>': "loads //example.org/a.js",
    '<link rel="stylesheet" href="http://example.org/a.css">': "loads http://example.org/a.css",
    '<img src="https://example.org/a.png" alt="a">': "loads https://example.org/a.png",
    '<p style="background: url(https://example.org/a.png)">': "loads https://example.org/a.png",
    '<a href="c.html">c</a>': "no such page: c.html",
    '<a href="b.html#nowhere">b</a>': "no such place: b.html#nowhere",
    '<img src="a.png">': "the picture a.png has no text",
    '<script src="b.js"></script>': "no such file: b.js",
}


def found(page, style="p { color: red; }"):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.html").write_text(page, encoding="utf-8")
        (folder / "b.html").write_text('<p id="there">', encoding="utf-8")
        (folder / "a.png").touch()
        (folder / "a.css").write_text(style, encoding="utf-8")
        return list(faults(folder))


assert found(SOUND) == [], found(SOUND)
for page, said in PLANTED.items():
    assert len(found(SOUND + page)) == 1 and said in found(SOUND + page)[0], (page, found(SOUND + page))
assert len(found(SOUND, "@import url('https://example.org/a.css');")) == 1
print(f"{len(PLANTED) + 1} planted faults are found")
