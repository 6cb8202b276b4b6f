"""Cells that begin with %%bash, as a terminal shows them: both streams in one, and a failure ends the page. tools/site lets every kernel start with this."""
import subprocess

from IPython import get_ipython


def bash(line, cell):
    run = subprocess.run(["bash", "-e", "-c", cell], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout, end="")
    if run.returncode != 0:
        raise RuntimeError(f"ended with {run.returncode}")


get_ipython().register_magic_function(bash, "cell")
