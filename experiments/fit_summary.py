"""One private fit of a table, for the experiments beside it: table.csv and schema.toml of a folder, at the program's defaults."""

import json
import subprocess

NO_ANSWER = 75  # the status of fits whose numbers are not to be taken for one


def fit_summary(program, folder, family, formula, epsilon, seed):
    """What summary.json says; a fit without an answer has one too. `--force`: nothing is rehearsed."""
    done = subprocess.run([program, "fit", "--force", "--data", folder / "table.csv", "--schema", folder / "schema.toml", "--family", family,
                           "--formula", formula, "--epsilon", str(epsilon), "--delta", "1e-6", "--seed", str(seed), "--out", folder / "out"],
                          capture_output=True)
    if done.returncode not in (0, NO_ANSWER):
        done.check_returncode()
    return json.loads((folder / "out" / "summary.json").read_text())
