"""Every block of bash, Python or R in docs/ is run, by the build of the site or by a test, or the line above it says that it is not."""
import sys

from blocks import COMMAND, ROOT, RUN_BY, blocks, is_notebook, pages


def faults(name, text):
    for language, block, not_run in blocks(text):
        first = block.strip().splitlines()[0] if block.strip() else ""
        if language == "{code-cell}":
            if not is_notebook(text):
                yield f"docs/{name}: a cell on a page that is not run: {first}"
        elif language in ("", "text", "console", "sh", "shell") and COMMAND.search(block):
            yield f"docs/{name}: commands stand in a block of bash: {first}"
        elif language in ("python", "r", "cpp") and not not_run:
            by = RUN_BY.get((name, language))
            if by is None or f"docs/{name}" not in (ROOT / by).read_text(encoding="utf-8"):
                yield f"docs/{name}: nobody runs this {language}, and nothing says so: {first}"
        elif language == "bash" and is_notebook(text) and not not_run:
            yield f"docs/{name}: a cell of a page that is run begins with %%bash: {first}"


def main():
    # What it must find.
    assert len(list(faults("a.md", "```python\nf()\n```\n"))) == 1
    assert len(list(faults("a.md", "*Not run by the tests:*\n\n```python\nf()\n```\n"))) == 0
    assert len(list(faults("python.md", "```python\nf()\n```\n"))) == 0
    assert len(list(faults("a.md", "```{code-cell}\nf()\n```\n"))) == 1
    assert len(list(faults("a.md", "```\nsotto fit x.toml\n```\n"))) == 1
    assert len(list(faults("a.md", "```\nscore  N(0, 1)\n```\n"))) == 0
    assert len(list(faults("a.md", "---\nfile_format: mystnb\n---\n```bash\nls\n```\n"))) == 1
    found = [fault for name, text in pages() for fault in faults(name, text)]
    print("\n".join(found))
    print(f"{len(pages())} pages read, {len(found)} blocks that nobody runs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
