"""A file must compile as it is, and must not with -DFAIL; the compiler's message then matches the line // EXPECT: REGEX.

usage: check.py FILE COMPILER [FLAG ...]
"""
import re
import subprocess
import sys

file, *compiler = sys.argv[1:]
expected = re.search(r"^// EXPECT: (.+)$", open(file, encoding="utf-8").read(), re.MULTILINE).group(1)


def compile_with(*flags):
    return subprocess.run([*compiler, "-fsyntax-only", *flags, file], capture_output=True, text=True)


sound = compile_with()
if sound.returncode != 0:
    sys.exit(f"does not compile without -DFAIL either:\n{sound.stderr}")
broken = compile_with("-DFAIL")
if broken.returncode == 0:
    sys.exit("compiles, but must not")
if not re.search(expected, broken.stderr):
    sys.exit(f"fails for another reason than {expected}:\n{broken.stderr}")
