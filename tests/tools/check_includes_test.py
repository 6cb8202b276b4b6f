"""The include checker finds what it is there to find."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_includes import GUARD, INCLUDE, TEST_FRIEND, read, violations  # noqa: E402

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
    "a file of the outside world on no side": {"sotto_io/novelty.hpp": []},
    "the program in the library": {"sotto_io/atomic_file.hpp": ["cli/verbs.hpp"], "cli/verbs.hpp": []},
}

assert not list(violations(CLEAN)), list(violations(CLEAN))
for what, change in BROKEN.items():
    assert list(violations({**CLEAN, **change})), f"not found: {what}"
assert TEST_FRIEND.findall("class ReleasedForTests {") and TEST_FRIEND.findall("struct XForTests : Y {")
assert not TEST_FRIEND.findall("  friend class ReleasedForTests;\n  int x() { return 1; }")
assert INCLUDE.findall('#include <sotto/data/rows.hpp>\n # include "cli/verbs.hpp"') == ["sotto/data/rows.hpp", "cli/verbs.hpp"]

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
    assert read(folder) == {
        "sotto/data/rows.hpp": [],
        "sotto/kernel/detour.inc": ["sotto/data/rows.hpp"],
        "sotto/kernel/straight.hpp": ["sotto/data/rows.hpp"],
        "sotto/kernel/step.hpp": ["sotto/kernel/detour.inc"],
    }

# Planted in a copy of the real trees: the checker reads all of them.
SOURCES = Path(__file__).resolve().parents[2] / "src"
real = read(SOURCES)
assert {name.split("/")[0] for name in real} == {"sotto", "sotto_io", "sotto_rpc", "cli", "python"}
for planted, line in {
    "sotto/kernel/penalty.hpp": "sotto/data/table.hpp",
    "sotto_io/cmdstan_csv.hpp": "sotto/data/table.hpp",
    "sotto_io/run_directory.hpp": "sotto/ledger/ledger.hpp",
    "sotto/report/html_report.hpp": "sotto/entropy/entropy.hpp",
    "sotto/mixture/fit/density.hpp": "sotto/privatise/privatise.hpp",
    "sotto/data/rows.hpp": "sotto/kernel/kernel.hpp",
    "sotto_rpc/owner_server.hpp": "sotto/data/table.hpp",
    "sotto/release/remote_owner.hpp": "sotto/owner/owner_session.hpp",
}.items():
    assert planted in real, f"{planted} has gone: plant elsewhere"
    assert list(violations({**real, planted: [*real[planted], line]})), f"not found: {line} in {planted}"
print(f"{len(BROKEN)} broken plans found")
