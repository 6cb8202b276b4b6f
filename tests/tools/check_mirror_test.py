"""The checker of the tests' mirror finds what it is there to find."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_mirror import faults  # noqa: E402

STAGES = {"kernel": ["kernel/hmc.hpp", "kernel/barker.hpp"], "release": ["release/query.hpp"]}
HMC = ("kernel", "hmc_test.cpp", '#include "sotto/kernel/hmc.hpp"')


def check(*tests):
    return list(faults(STAGES, tests))


assert not check(HMC)
assert not check(HMC, ("kernel", "steps_test.cpp", '#include "sotto/kernel/barker.hpp"'))
assert not check(HMC, ("privacy", "replay_test.cpp", ""))
BROKEN = [
    (HMC, ("kernels", "hmc_test.cpp", '#include "sotto/kernel/hmc.hpp"')),  # no such stage
    (HMC, ("kernel", "steps_test.cpp", '#include "sotto/release/query.hpp"')),  # another stage's
    (("kernel", "hmc_test.cpp", '#include "sotto/kernel/barker.hpp"'),),  # another file's
    (),  # a stage without tests
]
for tests in BROKEN:
    assert check(*tests), tests
print(f"{len(BROKEN)} broken mirrors found")
