"""Every file of the folder must compile beside the others, and none must with -DFAIL: the compiler's errors in it then match its line // EXPECT: REGEX.

All are compiled at once, each in a namespace of its own after the headers of all: what takes long is these.

usage: check.py COMPILER [FLAG ...]
"""
import pathlib
import re
import subprocess
import sys

compiler = sys.argv[1:]
cases = {str(file): file.read_text(encoding="utf-8") for file in sorted(pathlib.Path(__file__).resolve().parent.glob("*.cpp"))}
if not cases:
    sys.exit("no cases")
headers = sorted({line for text in cases.values() for line in re.findall(r"^#include .+$", text, re.MULTILINE)})
wrapped = [f'namespace {pathlib.Path(file).stem} {{\n#include "{file}"\n}}' for file in cases]
source = "\n".join([*headers, *wrapped, ""])


def errors_with(*flags):
    """Those of each file; of no file under an empty name. None: it compiles."""
    run = subprocess.run([*compiler, "-fsyntax-only", *flags, "-x", "c++", "-"], input=source, capture_output=True, text=True)
    if run.returncode == 0:
        return None
    errors = {}
    for line in run.stderr.splitlines():
        if found := re.match(r"(.*?):\d+:\d+: (?:fatal )?error: (.*)", line):
            errors.setdefault(found[1], []).append(found[2])
    return errors or {"": [run.stderr]}


if (sound := errors_with()) is not None:
    sys.exit(f"does not compile without -DFAIL either: {sound}")
broken = errors_with("-DFAIL") or {}
wrong = [f"fails beside the cases: {file}: {said}" for file, said in broken.items() if file not in cases]
for file, text in cases.items():
    expected = re.search(r"^// EXPECT: (.+)$", text, re.MULTILINE).group(1)
    said = broken.get(file, [])
    if not said:
        wrong.append(f"{file} compiles, but must not")
    elif not all(re.search(expected, one) for one in said):
        wrong.append(f"{file} fails for another reason than {expected}: {said}")
if wrong:
    sys.exit("\n".join(wrong))
