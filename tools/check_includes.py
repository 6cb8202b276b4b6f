#!/usr/bin/env python3
"""Refuses includes that go against the plan of the stages, directly or through other headers.

usage: check_includes.py SOURCE_FOLDER
"""
import posixpath
import re
import sys
from pathlib import Path

# Who may include whom; a stage may always include itself.
EVERYONE = {"base", "math", "random"}
PUBLIC = EVERYONE | {"event", "accountant", "release", "channel", "prior"}
ROWS = ["data", "model", "sum"]  # the curator's stages, in the order of the flow
ANALYST = ["proposal", "kernel", "chain", "diagnostics", "mixture", "posterior", "plan", "report"]  # in the order of who knows whom
ALLOWED = {
    "base": set(),
    "math": {"base"},
    "random": {"base", "math"},
    "event": EVERYONE,
    "accountant": EVERYONE | {"event"},
    "entropy": EVERYONE,
    "release": EVERYONE,
    "prior": EVERYONE,
    "channel": EVERYONE | {"accountant"},
    "data": EVERYONE | {"entropy"},
    "model": EVERYONE | {"release", "data"},
    "sum": EVERYONE | {"data", "model"},
    "privatise": EVERYONE | {"event", "accountant", "entropy", "release", "channel", "data"},  # one decoder of cells
    "ledger": EVERYONE | {"event", "accountant"},
    "measurement": EVERYONE | {"event", "accountant", "ledger", "entropy", "release", *ROWS},
    "owner": EVERYONE | {"event", "accountant", "ledger", "entropy", "release", "measurement", *ROWS},
    "run": PUBLIC | {"ledger", "entropy", "measurement", "owner", *ROWS, *ANALYST},
}
for place, stage in enumerate(ANALYST):
    ALLOWED[stage] = PUBLIC | set(ANALYST[:place])
# Only mixtures of privatised data read a channel's density.
for stage in set(ANALYST) - {"mixture"}:
    ALLOWED[stage] = ALLOWED[stage] - {"channel"}

ALLOWED["sotto_io"] = set(ALLOWED)
ALLOWED["sotto_rpc"] = {"base", "release"}  # it carries bytes: what they say is no business of its
ALLOWED["cli"] = {*ALLOWED, "published"}
ALLOWED["python"] = {*ALLOWED}
ALLOWED["sotto.hpp"] = set(ALLOWED)  # the umbrella: names all sides for programs that link them all

# What the analyst's side must not reach through any chain of headers: whatever sees rows, and the system's entropy.
HIDDEN_STAGES = {*ROWS, "entropy", "privatise", "ledger", "measurement", "owner", "run"}
HIDDEN_FILES = {"sotto/entropy/entropy.hpp"}

# Friends that only tests may define: a definition in the sources could forge a release or read a sum without noise.
TEST_FRIEND = re.compile(r"\b(?:class|struct)\s+(\w*ForTests)\b[^;]*\{")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
TREES = ("sotto", "sotto_io", "sotto_rpc", "cli", "python")

# The outside world, by what its files may reach: those that write what was released or read what is public must not
# reach rows either. A file that is in neither list is a finding: say on which side it stands.
ROW_FILES = {
    "arrow_records", "arrow_stream", "charge_journal", "column_release", "covariance_file", "csv_reader", "density_run", "fit_directory", "new_rows", "owner_books", "owner_toml",
    "parquet_file", "prediction_run", "sotto_io", "table_check", "table_file", "table_records", "wiping_pool",
}
RELEASE_FILES = {
    "atomic_file", "channel_file", "cmdstan_csv", "csv_cells", "density_difference", "density_directory", "density_figure",
    "density_page", "density_report", "density_warnings", "output_guard", "privatised_file", "release_fingerprint", "result_files", "run_directory", "run_lock", "schema_toml",
    "signing_key",
}
PUBLIC_FILES = {"sotto/data/schema.hpp"}  # declared before anyone looks at a row

# Whoever reads a header of these stages must link the curator's library: the guard says so to the compiler.
GUARD = "sotto/base/curator_side.hpp"
GUARDED_STAGES = HIDDEN_STAGES - {"model", "run"}  # of models, laws and formulas are public; what reads rows includes them
UNGUARDED_FILES = PUBLIC_FILES | {"sotto/data/wiped.hpp", "sotto/measurement/gaussian_noise.hpp", "sotto/owner/federation.hpp"}


def stage_of(name):
    tree, rest = name.split("/", 1)
    return rest.split("/")[0] if tree == "sotto" else tree


def as_found(name, included, names):
    """The file of the trees that a compiler finds for an include in `name`, beside it first; None for others."""
    places = (posixpath.join(posixpath.dirname(name), included), included)
    return next((place for place in map(posixpath.normpath, places) if place in names), None)


def read(folder):
    """Every file of the trees, with those of them that it includes."""
    texts = {}
    for tree in TREES:
        for path in sorted(Path(folder, tree).rglob("*.*")):
            if path.is_file() and path.suffix != ".txt":
                texts[path.relative_to(folder).as_posix()] = path.read_text(encoding="utf-8")
    return {name: [found for included in INCLUDE.findall(text) if (found := as_found(name, included, texts))]
            for name, text in texts.items()}


def chains(start, files):
    """All files that `start` reaches, each with the chain of includes that leads there."""
    found, waiting = {}, [(start,)]
    while waiting:
        chain = waiting.pop()
        for name in files.get(chain[-1], []):
            if name not in found:
                found[name] = chain + (name,)
                waiting.append(found[name])
    return found


def file_violations(name, files):
    """A file of sotto_io stands on one side; on the side of releases it reaches nothing that sees rows."""
    stem = Path(name).stem
    if stem not in ROW_FILES | RELEASE_FILES:
        yield f"{name}: add it to ROW_FILES or RELEASE_FILES in tools/check_includes.py"
    if stem in RELEASE_FILES and name.endswith(".hpp"):
        for other, chain in chains(name, files).items():
            if other not in PUBLIC_FILES and (other in HIDDEN_FILES or stage_of(other) in HIDDEN_STAGES):
                yield f"{' -> '.join(chain)}: what writes releases must not reach {other}"


def violations(files):
    for name, included in files.items():
        stage = stage_of(name)
        if stage == "sotto_io":
            yield from file_violations(name, files)
        if stage not in ALLOWED:
            yield f"{name}: stage {stage} is unknown; add it to tools/check_includes.py where it stands in the flow"
            continue
        if stage in GUARDED_STAGES and name.endswith(".hpp") and name not in UNGUARDED_FILES and GUARD not in chains(name, files):
            yield f"{name}: include {GUARD}, or say in UNGUARDED_FILES that it is public"
        for other in included:
            if stage_of(other) != stage and stage_of(other) not in ALLOWED[stage]:
                yield f"{name} includes {other}: {stage} must not know {stage_of(other)}"
        if stage in ANALYST:
            for other, chain in chains(name, files).items():
                if other in HIDDEN_FILES or stage_of(other) in HIDDEN_STAGES:
                    yield f"{' -> '.join(chain)}: the analyst's side must not reach {other}"


def forgeries(folder):
    """Definitions, anywhere in the sources, of classes that are friends of the wall for tests alone."""
    for path in sorted(Path(folder).rglob("*.?pp")):
        for name in TEST_FRIEND.findall(path.read_text(encoding="utf-8")):
            yield f"{path}: {name} is for tests alone and must not be defined here"


def main():
    files = read(sys.argv[1])
    found = sorted({*violations(files), *forgeries(sys.argv[1])})
    for line in found:
        print(line)
    print(f"{len(files)} files, {len(found)} findings against the plan")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
