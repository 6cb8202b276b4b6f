"""The fenced blocks of the project's pages, and who runs them."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(`{3,})(\{[\w-]+\}|[\w-]*)[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
# The paragraph right above a block that nobody runs.
NOT_RUN = re.compile(r"\*Not run [^*]+:\*\n\n\Z")
# What begins a line of a block of commands; such a block says that it is bash.
COMMAND = re.compile(r"^(?:sotto|python3?|pip|cmake|ctest|R|Rscript|\./\w|(?:build|tools|\.venv|r)/)[ /\w]", re.MULTILINE)
# Pages in Markdown whose blocks of a language another test runs, and that test.
RUN_BY = {
    ("python.md", "python"): "python/tests/test_documentation.py",
    ("r.md", "r"): "r/check",
}


def blocks(text):
    """Of every block its language, its text, and whether the page says that it is not run."""
    for block in FENCE.finditer(text):
        yield block[2], block[3], NOT_RUN.search(text[: block.start()]) is not None


def is_notebook(text):
    """Whether the build of the site runs the page's cells."""
    return text.startswith("---\n") and "file_format: mystnb" in text.split("---")[1]


def pages():
    """Names within docs/, and texts."""
    folder = ROOT / "docs"
    return [(str(path.relative_to(folder)), path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.md"))]


def commands(text):
    """Lines of a block of bash, continued ones joined, without comments."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [line.split(" #")[0].strip() for line in joined.splitlines() if line.strip() and not line.startswith("#")]
