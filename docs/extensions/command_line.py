"""The directive `{program-help}`: what the program says of itself and of each of its verbs, asked when the site is built."""
import os
import re
import subprocess

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective


def told(*arguments):
    program = os.environ.get("SOTTO_PROGRAM", "sotto")
    run = subprocess.run([program, *arguments, "--help"], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        raise ExtensionError(f"{program} {' '.join(arguments)} --help ended with {run.returncode}")
    return run.stdout


def verbs(text):
    """The names in the list of subcommands."""
    return re.findall(r"^  (\w+)  ", text.split("Subcommands:")[1], re.MULTILINE)


def block(text):
    return nodes.literal_block(text, text, language="text", classes=["help"])


class ProgramHelp(SphinxDirective):
    def run(self):
        whole = told()
        found = [block(whole)]
        for verb in sorted(verbs(whole)):
            section = nodes.section(ids=[f"sotto-{verb}"], names=[f"sotto {verb}"])
            section += nodes.title("", "", nodes.literal("", f"sotto {verb}"))
            section += block(told(verb))
            found.append(section)
        return found


def setup(app):
    app.add_directive("program-help", ProgramHelp)
    return {"parallel_read_safe": True}
