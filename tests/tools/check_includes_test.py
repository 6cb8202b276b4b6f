"""The include checker finds what it is there to find."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_includes import TEST_FRIEND, violations  # noqa: E402

CLEAN = {
    "sotto/data/rows.hpp": ["sotto/base/error.hpp"],
    "sotto/base/error.hpp": [],
    "sotto/entropy/entropy.hpp": [],
    "sotto/channel/laplace.hpp": [],
    "sotto/privatise/samplers.hpp": ["sotto/channel/laplace.hpp", "sotto/entropy/entropy.hpp"],
    "sotto/kernel/penalty.hpp": ["sotto/base/error.hpp"],
    "sotto/mixture/neal.hpp": ["sotto/channel/laplace.hpp"],
    "sotto/run/fit.hpp": ["sotto/data/rows.hpp", "sotto/kernel/penalty.hpp"],
}
BROKEN = {
    "a row on the analyst's side": {"sotto/kernel/penalty.hpp": ["sotto/data/rows.hpp"]},
    "against the flow": {"sotto/data/rows.hpp": ["sotto/kernel/penalty.hpp"]},
    "noise on the analyst's side": {"sotto/kernel/penalty.hpp": ["sotto/entropy/entropy.hpp"]},
    "noise through another header": {"sotto/channel/laplace.hpp": ["sotto/entropy/entropy.hpp"]},
    "a sampler in a channel's law": {"sotto/channel/laplace.hpp": ["sotto/privatise/samplers.hpp"]},
    "a sampler on the analyst's side": {"sotto/mixture/neal.hpp": ["sotto/privatise/samplers.hpp"]},
    "an unknown stage": {"sotto/misc/things.hpp": []},
}

assert not list(violations(CLEAN)), list(violations(CLEAN))
for what, change in BROKEN.items():
    assert list(violations({**CLEAN, **change})), f"not found: {what}"
assert TEST_FRIEND.findall("class ReleasedForTests {") and TEST_FRIEND.findall("struct XForTests : Y {")
assert not TEST_FRIEND.findall("  friend class ReleasedForTests;\n  int x() { return 1; }")
print(f"{len(BROKEN)} broken plans found")
