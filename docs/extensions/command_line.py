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


# Where an option's text begins, in a line of its own where its name is long.
COLUMN = 30


def entries(lines):
    """Pairs of what an option is called and the lines that say what it does."""
    found = []
    for line in lines:
        name, text = line[:COLUMN].strip(), line[COLUMN:].strip()
        if line.startswith("  ") and line[2:3].strip():
            if line[COLUMN - 1 : COLUMN].strip():  # the name passes the column: its text follows in the next line
                name, text = line.strip(), ""
            found.append((name, [text] if text else []))
        else:
            found[-1][1].append(line.strip())
    return found


def shown(text):
    """The help of a verb: what it is, usage, lists of options, examples."""
    parts = re.split(r"\n(?=Usage:|Positionals:|Options:|Subcommands:|Examples?:|Tuning)", text.strip("\n"))
    for part in parts:
        head, _, rest = part.strip("\n").partition("\n")
        if head in ("Positionals:", "Options:", "Subcommands:"):
            yield nodes.rubric("", head.rstrip(":"))
            options = nodes.definition_list(classes=["options"])
            for name, lines in entries([line for line in rest.splitlines() if line.strip()]):
                said = nodes.definition("", *(nodes.paragraph("", line) for line in lines))
                options += nodes.definition_list_item("", nodes.term("", "", nodes.literal("", name)), said)
            yield options
        elif head.startswith(("Usage:", "Example")):
            label, _, first = part.strip("\n").partition(":")
            yield nodes.rubric("", label)
            example = "\n".join(re.sub(r"^ {2}", "", line) for line in first.strip().splitlines())
            yield nodes.literal_block(example, example, language="text")
        else:
            yield nodes.paragraph("", part.strip().replace("\n", " "))


class ProgramHelp(SphinxDirective):
    def run(self):
        whole = told()
        found = list(shown(whole))
        for verb in sorted(verbs(whole)):
            section = nodes.section(ids=[f"sotto-{verb}"], names=[f"sotto {verb}"])
            section += nodes.title("", "", nodes.literal("", f"sotto {verb}"))
            section += list(shown(told(verb)))
            found.append(section)
        return found


def setup(app):
    app.add_directive("program-help", ProgramHelp)
    return {"parallel_read_safe": True}
