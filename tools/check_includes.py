#!/usr/bin/env python3
"""Refuses includes that go against the plan of the stages, directly or through other headers, and names that the wall keeps to few files.

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
ANALYST = ["proposal", "kernel", "chain", "diagnostics", "mixture", "posterior", "report"]  # in the order of who knows whom
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
ALLOWED["cli"] = {*ALLOWED}
ALLOWED["python"] = {*ALLOWED}
ALLOWED["sotto.hpp"] = set(ALLOWED)  # the umbrella: names all sides for programs that link them all

# What the analyst's side must not reach through any chain of headers: whatever sees rows, and the system's entropy.
HIDDEN_STAGES = {*ROWS, "entropy", "privatise", "ledger", "measurement", "owner", "run"}

# Friends that only tests may define: a definition in the sources could forge a release or read a sum without noise.
TEST_FRIEND = re.compile(r"\b(?:class|struct)\s+(\w*ForTests)\b[^;]*\{")

# The only form of an include, so that every one is seen. A macro that names a file counts as one: headers from outside
# include by macros.
INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|define[ \t]+\w+)[ \t]*["<]([^">\n]+)[">][ \t]*(?://.*)?$', re.MULTILINE)
OTHER_FORM = re.compile(r"(?:#|%:)(?:\s|/\*.*?\*/)*\w*(?:include|import)|^[ \t]*(?:export[ \t]+)?import\b", re.MULTILINE | re.DOTALL)

# Where the system's entropy may be named: noise is drawn in the first place alone. None is a header, which would hand it on.
ENTROPY = re.compile(
    r'#\s*include\s*["<](?:sodium|sys/random|linux/random|random|openssl/rand|boost/random/random_device)\b[^">\n]*[">]'
    r"|\b(?:random_device|getrandom|getentropy|arc4random\w*|_?rd(?:rand|seed)\w*)\b|/dev/u?random")
ENTROPY_FILES = {
    "sotto/entropy/entropy.cpp": "noise",
    "sotto/data/person_rows.cpp": "the key by which persons' names are hashed",
    "sotto/data/wiped.cpp": "wipes memory",
    "sotto/owner/answer_signer.cpp": "an owner's key",
    "sotto/release/owner_protocol.cpp": "the name of a session; signatures are verified",
    "sotto/release/signed_answers.cpp": "signatures are verified",
    "sotto_io/signing_key.cpp": "an owner's key",
    "sotto_rpc/certificates.cpp": "serial numbers of certificates",
}

# The outside world, by what its files may reach: those that write what was released or read what is public must not
# reach rows either. A file of sotto_io that is in neither list is a finding: say on which side it stands. In `cli` and
# `python`, what is not listed reaches no rows.
ROW_FILES = {
    "sotto_io": {
        "arrow_records", "arrow_stream", "column_release", "covariance_file", "csv_reader", "density_run", "fit_directory", "new_rows", "owner_books", "owner_toml",
        "parquet_file", "prediction_run", "sotto_io", "table_check", "table_file", "table_records", "wiping_pool",
    },
    "cli": {
        "density", "fit", "fit_options", "owner_sessions", "plan", "predict", "privatize", "schema", "serve", "transport_identity",
        "itself",  # names the instructions that passes are compiled for
    },
    "python": {"density", "fit", "own_model", "plan", "predict", "privatise", "records", "tables"},
}
RELEASE_FILES = {
    "atomic_file", "channel_file", "charge_journal", "cmdstan_csv", "csv_cells", "density_difference", "density_directory", "density_figure",
    "density_page", "density_report", "density_warnings", "output_guard", "privatised_file", "release_fingerprint", "result_files", "run_directory", "run_lock", "schema_toml",
    "signing_key",
}
FORMAT_FILES = {"sotto_io/parquet_file.hpp", "sotto_io/table_records.hpp"}  # a table that was released has the same formats
PUBLIC_FILES = {
    "sotto/data/schema.hpp",  # declared before anyone looks at a row
    "sotto/data/wiped.hpp",  # memory, whatever it held
}

# Whoever reads a header of these stages must link the curator's library: the guard says so to the compiler.
GUARD = "sotto/base/curator_side.hpp"
GUARDED_STAGES = HIDDEN_STAGES - {"model", "run"}  # of models, laws and formulas are public; what reads rows includes them
UNGUARDED_FILES = PUBLIC_FILES | {"sotto/measurement/gaussian_noise.hpp", "sotto/owner/federation.hpp"}


def stage_of(name):
    tree, *rest = name.split("/")
    return rest[0] if tree == "sotto" else tree


def as_found(name, included, names):
    """The file of the trees that a compiler finds for an include in `name`, beside it first; None for others."""
    places = (posixpath.join(posixpath.dirname(name), included), included)
    return next((place for place in map(posixpath.normpath, places) if place in names), None)


def read(folder):
    """The text of every file of the folder, whatever its ending, but for what CMake reads."""
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(Path(folder).rglob("*")) if path.is_file() and path.name != "CMakeLists.txt"}


def includes(texts):
    """Every file, with those of them that it includes."""
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


def sees_rows(name):
    stage = stage_of(name)
    return name not in PUBLIC_FILES and (stage in HIDDEN_STAGES or Path(name).stem in ROW_FILES.get(stage, ()))


def file_violations(name, files):
    """A file of the outside world stands on one side; on the side of releases it reaches nothing that sees rows."""
    tree, stem = stage_of(name), Path(name).stem
    if stem in ROW_FILES[tree]:
        return
    if tree == "sotto_io" and stem not in RELEASE_FILES:
        yield f"{name}: add it to ROW_FILES or RELEASE_FILES in tools/check_includes.py"
    for other, chain in chains(name, files).items():
        if sees_rows(other) and not (tree == "sotto_io" and other in FORMAT_FILES):
            yield f"{' -> '.join(chain)}: what is not in ROW_FILES of tools/check_includes.py must not reach {other}"


def violations(files):
    for name, included in files.items():
        stage = stage_of(name)
        if stage in ROW_FILES:
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
                if stage_of(other) in HIDDEN_STAGES:
                    yield f"{' -> '.join(chain)}: the analyst's side must not reach {other}"


def hidden_includes(texts, root):
    """Includes that `includes` does not see: in another form than the plain one, or of a file of the project outside the folder."""
    for name, text in texts.items():
        for _ in OTHER_FORM.findall(re.sub(r"\\[ \t]*\n", "", INCLUDE.sub("", text))):
            yield f"{name}: write an include as one plain line"
        for included in INCLUDE.findall(text):
            outside = included.startswith("/") or ".." in included or (root / included).exists()
            published = stage_of(name) == "cli" and re.match(r"experiments/published/\w+\.hpp$", included)
            if outside and not published and not as_found(name, included, texts):
                yield f"{name} includes {included}, which is outside the folder"


def forbidden_names(texts):
    """What the wall keeps to few files: its friends for tests alone, and the system's entropy."""
    for name, text in texts.items():
        for friend in TEST_FRIEND.findall(text):
            yield f"{name}: {friend} is for tests alone and must not be defined here"
        for entropy in [] if name in ENTROPY_FILES else ENTROPY.findall(text):
            yield f"{name}: {entropy}: the system's entropy; ask sotto/entropy, or say in ENTROPY_FILES what it is for"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]).resolve()
    if not (folder / "sotto").is_dir():
        sys.exit(f"{folder} is not the folder of the sources")
    texts = read(folder)
    found = sorted({*violations(includes(texts)), *hidden_includes(texts, folder.parent), *forbidden_names(texts)})
    for line in found:
        print(line)
    print(f"{len(texts)} files, {len(found)} findings against the plan")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
