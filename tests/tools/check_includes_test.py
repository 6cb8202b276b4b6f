"""The include checker finds what it is there to find."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_includes import (  # noqa: E402
    ENTROPY_FILES, FORMAT_FILES, GUARD, PUBLIC_FILES, RELEASE_FILES, ROW_FILES, UNGUARDED_FILES, forbidden_names, hidden_includes,
    includes, read, violations)

CLEAN = {
    "sotto/data/rows.hpp": ["sotto/base/error.hpp", GUARD],
    "sotto/base/error.hpp": [],
    "sotto/entropy/entropy.hpp": [GUARD],
    "sotto/channel/laplace.hpp": [],
    "sotto/privatise/exact_noise.hpp": ["sotto/channel/laplace.hpp", "sotto/entropy/entropy.hpp"],
    "sotto/kernel/penalty.hpp": ["sotto/base/error.hpp"],
    "sotto/mixture/neal.hpp": ["sotto/channel/laplace.hpp"],
    "sotto/run/fit.hpp": ["sotto/data/rows.hpp", "sotto/kernel/penalty.hpp"],
}
BROKEN = {
    "a row on the analyst's side": {"sotto/kernel/penalty.hpp": ["sotto/data/rows.hpp"]},
    "against the flow": {"sotto/data/rows.hpp": ["sotto/kernel/penalty.hpp"]},
    "noise on the analyst's side": {"sotto/kernel/penalty.hpp": ["sotto/entropy/entropy.hpp"]},
    "noise through another header": {"sotto/channel/laplace.hpp": ["sotto/entropy/entropy.hpp"]},
    "exact noise in a channel's law": {"sotto/channel/laplace.hpp": ["sotto/privatise/exact_noise.hpp"]},
    "exact noise on the analyst's side": {"sotto/mixture/neal.hpp": ["sotto/privatise/exact_noise.hpp"]},
    "rows without the guard": {"sotto/data/rows.hpp": ["sotto/base/error.hpp"]},
    "an unknown stage": {"sotto/misc/things.hpp": []},
    "a file of the outside world in the library": {"sotto/kernel/penalty.hpp": ["sotto_io/atomic_file.hpp"]},
    "a row in a writer of releases": {"sotto_io/cmdstan_csv.hpp": ["sotto/data/rows.hpp"]},
    "a row in a writer of releases, through another header": {
        "sotto_io/cmdstan_csv.hpp": ["sotto_io/table_file.hpp"], "sotto_io/table_file.hpp": ["sotto/data/rows.hpp"]},
    "rows read in a writer of releases": {"sotto_io/cmdstan_csv.cpp": ["sotto_io/density_run.hpp"], "sotto_io/density_run.hpp": []},
    "a file of the outside world on no side": {"sotto_io/novelty.hpp": []},
    "an unknown folder": {"newtree/things.hpp": []},
    "a file beside the folders": {"things.hpp": []},
    "the program in the library": {"sotto_io/atomic_file.hpp": ["cli/verbs.hpp"], "cli/verbs.hpp": []},
}

assert not list(violations(CLEAN)), list(violations(CLEAN))
for what, change in BROKEN.items():
    assert list(violations({**CLEAN, **change})), f"not found: {what}"
# However an include is spelled, it is the file that a compiler finds; files of any ending are read.
with tempfile.TemporaryDirectory() as folder:
    for name, text in {
        "sotto/data/rows.hpp": "",
        "sotto/kernel/detour.inc": '#include "../data/rows.hpp"',
        "sotto/kernel/straight.hpp": '#include <vector>\n#include "hwy/highway.h"\n#include "sotto/kernel/../data/rows.hpp"',
        "sotto/kernel/step.hpp": '#include "detour.inc"',
    }.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert includes(read(folder)) == {
        "sotto/data/rows.hpp": [],
        "sotto/kernel/detour.inc": ["sotto/data/rows.hpp"],
        "sotto/kernel/straight.hpp": ["sotto/data/rows.hpp"],
        "sotto/kernel/step.hpp": ["sotto/kernel/detour.inc"],
    }

# Planted in the text of the real trees: the checker reads all of them.
SOURCES = Path(__file__).resolve().parents[2] / "src"
real = read(SOURCES)
assert {name.split("/")[0] for name in real} == {"sotto", "sotto_io", "sotto_rpc", "cli", "python"}


def check(name, line):
    assert name in real, f"{name} has gone: plant elsewhere"
    planted = {name: f"{real[name]}\n{line}\n"}
    return [*violations(includes({**real, **planted})), *hidden_includes(planted, SOURCES.parent), *forbidden_names(planted)]


HARMLESS = {
    "cli/experiment.cpp": '#include "experiments/published/mixture_page.hpp"',
    "cli/report.cpp": '# include <sotto/data/schema.hpp>  // public',
    "sotto/kernel/penalty.hpp": "  friend class ReleasedForTests;\n  int x() { return 1; }",
    "sotto_io/privatised_file.cpp": '#include "sotto_io/parquet_file.hpp"',
}
PLANTED = [(name, f'#include "{included}"') for name, included in (
    ("sotto/kernel/penalty.hpp", "sotto/data/table.hpp"),
    ("sotto_io/cmdstan_csv.hpp", "sotto/data/table.hpp"),
    ("sotto_io/cmdstan_csv.cpp", "sotto/data/table.hpp"),
    ("sotto_io/density_page.cpp", "sotto/privatise/privatise.hpp"),
    ("sotto_io/run_directory.hpp", "sotto/ledger/ledger.hpp"),
    ("sotto_io/run_directory.cpp", "sotto/ledger/ledger.hpp"),
    ("sotto_io/run_directory.cpp", "sotto_io/table_file.hpp"),
    ("sotto/report/html_report.hpp", "sotto/entropy/entropy.hpp"),
    ("sotto/mixture/fit/density.hpp", "sotto/privatise/privatise.hpp"),
    ("sotto/data/rows.hpp", "sotto/kernel/kernel.hpp"),
    ("sotto_rpc/owner_server.hpp", "sotto/data/table.hpp"),
    ("sotto/release/remote_owner.hpp", "sotto/owner/owner_session.hpp"),
    ("cli/report.cpp", "sotto/data/rows.hpp"),
    ("cli/diagnose.cpp", "sotto_io/table_file.hpp"),
    ("cli/account.cpp", "sotto_io/table_records.hpp"),
    ("cli/report.cpp", "cli/fit_options.hpp"),
    ("python/account.cpp", "sotto/data/table.hpp"),
    ("sotto/kernel/penalty.hpp", "experiments/published/clipping_experiment.hpp"),
    ("sotto/kernel/penalty.hpp", "../../../src/sotto/data/table.hpp"),
    ("sotto/kernel/penalty.hpp", f"{SOURCES}/sotto/data/table.hpp"),
)]
PLANTED += [("sotto/kernel/penalty.hpp", line) for line in (
    '#import "sotto/data/table.hpp"',
    '#include_next "sotto/data/table.hpp"',
    "#include TABLE",
    '#define TABLE "sotto/data/table.hpp"',
    '/* */ #include "sotto/data/table.hpp"',
    '/*\n*/ #include "sotto/data/table.hpp"',
    '# /*\n*/ include "sotto/data/table.hpp"',
    '#include /**/ "sotto/data/table.hpp"',
    '#include "sotto/\\\ndata/table.hpp"',
    '#inc\\\nlude "sotto/data/table.hpp"',
    '%:include "sotto/data/table.hpp"',
    'import "sotto/data/table.hpp";',
    "#include <sodium.h>",
    "#include <sys/random.h>",
    "#include <random>",
    "const std::random_device device;",
    "getentropy(&seed, sizeof seed);",
    'std::ifstream file("/dev/urandom");',
    "class ReleasedForTests {",
    "struct XForTests : Y {",
)]
for name, line in HARMLESS.items():
    assert not check(name, line), check(name, line)
for name, line in PLANTED:
    assert check(name, line), f"not found: {line} in {name}"
listed = ENTROPY_FILES.keys() | FORMAT_FILES | PUBLIC_FILES | UNGUARDED_FILES
assert listed <= real.keys(), f"{listed - real.keys()} have gone: take them off the lists"
for tree, stems in {**ROW_FILES, "sotto_io": ROW_FILES["sotto_io"] | RELEASE_FILES}.items():
    gone = {stem for stem in stems if not {f"{tree}/{stem}.hpp", f"{tree}/{stem}.cpp"} & real.keys()}
    assert not gone, f"{tree}: {gone} have gone: take them off the lists"
assert all(name.endswith(".cpp") for name in ENTROPY_FILES)
print(f"{len(BROKEN) + len(PLANTED)} broken plans found")
