"""Every key that the program accepts stands on the page of its reference: the program names them all when it is given one it does not know.

usage: keys_test.py PROGRAM
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs/reference"


def known(program, *arguments):
    """The names that the refusal of an unknown key lists."""
    run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    listed = re.search(r"unknown (?:setting|key) .*(?:known here|allowed) are (.*)", run.stderr)
    assert listed, f"{' '.join(arguments)} does not list what is known: {run.stderr}"
    return listed[1].split(", ")


def settings(program):
    """Dotted keys of a configuration, those of every prior by their last word."""
    def of(section, value="{unheard_of = 1}"):
        return known(program, "fit", "--set", f"{section}={value}" if section else "unheard_of=1")

    for section in of(""):
        if section in ("start", "threads"):  # names of parameters; a number
            yield section
            continue
        for key in of(section, "[{unheard_of = 1}]" if section == "owner" else "{unheard_of = 1}"):
            yield f"{section}.{key}"
    yield from of("prior.default")


def schema_keys(program):
    for text in ("unheard_of = 1", "[unit]\nunheard_of = 1", "[[column]]\nunheard_of = 1"):
        with tempfile.TemporaryDirectory() as folder:
            schema = Path(folder) / "schema.toml"
            schema.write_text(text + "\n", encoding="utf-8")
            table = Path(folder) / "table.csv"
            table.write_text("x\n1\n", encoding="utf-8")
            yield from known(program, "schema", "--check", str(table), str(schema))


def column_keys():
    """Of the program's table of a column's settings."""
    text = (ROOT / "src/sotto_io/channel_file.cpp").read_text(encoding="utf-8")
    found = re.findall(r'\{"(\w+)", &ColumnSettings::\w+\}', text)
    assert len(found) > 8, "the table of a column's settings has moved"
    return found


def main(program):
    missing = []
    for page, keys in (("configuration.md", [*settings(program), *column_keys()]), ("schema.md", [*schema_keys(program)])):
        text = (REFERENCE / page).read_text(encoding="utf-8")
        missing += [f"docs/reference/{page}: no {key}" for key in keys if not re.search(rf"`{re.escape(key)}[`.]|\[{re.escape(key)}\]", text)]
        print(f"{page}: {len(keys)} keys")
    print("\n".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
