"""Files from Python's csv.writer, and hostile bytes, read by Python's csv module and by ours: the same cells.

usage: csv_oracle.py PRINT_RECORDS EMPTY_FOLDER
"""
import csv
import io
import json
import random
import subprocess
import sys
from pathlib import Path

ALPHABET = ['"', ",", "\t", "\n", "\r", "\r\n", " ", "a", "7", ".", "\x00", "\xff", "\xe4", ""]


def cell(rng, alphabet=ALPHABET):
    return "".join(rng.choice(alphabet) for _ in range(rng.choice([0, 1, 2, 5, 30])))


def written(rng, delimiter):
    """A file as csv.writer leaves it: always well formed, records of any length."""
    text = io.StringIO(newline="")
    columns = rng.randint(1, 5)
    line_end, quoting = rng.choice(["\r\n", "\n"]), rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    # With LF as line end csv.writer leaves carriage returns bare, unless it quotes everything.
    letters = [c for c in ALPHABET if "\r" not in c] if (line_end, quoting) == ("\n", csv.QUOTE_MINIMAL) else ALPHABET
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    names = [c for c in letters if c.isascii()]  # those of columns must be UTF-8
    writer.writerow([f"{cell(rng, names).strip()}{place}" for place in range(columns)])
    for _ in range(rng.randint(0, 8)):
        length = columns if rng.random() < 0.8 else rng.randint(1, columns + 2)
        writer.writerow([cell(rng, letters) for _ in range(length)])
    content = text.getvalue().encode("latin-1")
    return rng.choice([b"", b"\xef\xbb\xbf"]) + content


def hostile(rng, delimiter):
    """Random bytes after a header, mostly not well formed."""
    return f"x{delimiter}y\n".encode() + "".join(rng.choice(ALPHABET) for _ in range(rng.randint(0, 40))).encode("latin-1")


def expected(content, delimiter):
    """What Python reads: all cells, or None where it refuses, or where semicolons or tabs in the only name are likely delimiters.
    Names without blanks at their ends."""
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
    text = io.StringIO(content.decode("latin-1"), newline="")
    try:
        rows = [row or [""] for row in csv.reader(text, delimiter=delimiter, strict=True)]
    except csv.Error:
        return None
    names = [name.strip(" \t\r\n") for name in rows[0]]
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        return None
    return [names] + [row if len(row) == len(names) else None for row in rows[1:]]


def bare(content, delimiter):
    """Whether a quote stands in a bare cell or a carriage return stands alone: legal for Python, refused by us."""
    quoted, start, i = False, True, 0
    while i < len(content):
        c = content[i:i + 1]
        if quoted:
            if c == b'"' and content[i + 1:i + 2] == b'"':
                i += 1
            elif c == b'"':
                quoted, start = False, False
        elif c == b'"':
            if not start:
                return True
            quoted = True
        elif c == b"\r" and content[i + 1:i + 2] != b"\n":
            return True
        else:
            start = c in (b"\n", delimiter.encode())
        i += 1
    return False


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(20261121)
    cases = []
    for number in range(4000):
        delimiter = rng.choice([",", "\t"])
        make = written if number % 2 == 0 else hostile
        path = folder / f"{number % 2000}.{'csv' if delimiter == ',' else 'tsv'}"
        cases.append((path, make(rng, delimiter), delimiter, make is written))
    refused = accepted = 0
    for begin in range(0, len(cases), 2000):
        part = cases[begin:begin + 2000]
        for path, content, _, _ in part:
            path.write_bytes(content)
        lines = subprocess.run([program], input="".join(f"{path}\n" for path, *_ in part), capture_output=True,
                               text=True, check=True).stdout.splitlines()
        assert len(lines) == len(part)
        for line, (path, content, delimiter, ours_must_read) in zip(lines, part):
            got, want = json.loads(line), expected(content, delimiter)
            if ours_must_read or got is not None:
                assert got == want, (content, got, want)
                accepted += 1
            else:
                assert want is None or bare(content, delimiter), (content, want)
                refused += 1
    assert accepted > 2000 and refused > 500, (accepted, refused)
    print(f"{accepted} files read alike, {refused} refused")


if __name__ == "__main__":
    main()
