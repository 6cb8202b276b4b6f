"""What every kernel of a page that runs starts with (tools/site): cells that begin with %%bash are shown as by a terminal, both streams in one,
and a failure ends the page; a warning is its sentence, without a place in a temporary file; nothing tells how far a call was."""
import subprocess
import warnings

import sotto.progress
from IPython import get_ipython


def bash(line, cell):
    run = subprocess.run(["bash", "-e", "-c", cell], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout, end="")
    if run.returncode != 0:
        raise RuntimeError(f"ended with {run.returncode}")


get_ipython().register_magic_function(bash, "cell")
warnings.formatwarning = lambda message, category, *place: f"{category.__name__}: {message}\n"
sotto.progress.notebook_line = lambda: None
