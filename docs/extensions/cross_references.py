"""What text names becomes a link: a page by its title where its file stands in code (`docs/plan.md`), a source by its key ([R21]), an erratum (E21).

Also shows a cell of shell commands as shell: its first line, %%bash, is for the notebook's kernel.
"""
import re

from docutils import nodes

from bibliography import anchor

# Files outside docs/ that are pages.
PAGES = {
    "README.md": "overview",
    "ARCHITECTURE.md": "project/architecture",
    "CONTRIBUTING.md": "project/contributing",
    "CHANGELOG.md": "project/changelog",
    "data/README.md": "project/data",
    "experiments/README.md": "project/experiments",
}
PAGE = re.compile(r"(?:docs/)?((?:[\w-]+/)*[\w-]+)\.md")
KEY = re.compile(r"\b[A-Z][A-Za-z]*\d{2}\b")
BRACKETS = re.compile(r"\[[^\[\]]*\]")
ERRATUM = re.compile(r"\bE(\d{1,2})\b")
BIBLIOGRAPHY = "reference/bibliography"
ERRATA = "errata"


def page_of(name, found):
    """The page that a file's name stands for, or None."""
    if name in PAGES:
        return PAGES[name]
    match = PAGE.fullmatch(name)
    return match[1] if match and name.startswith("docs/") and match[1] in found else None


def linked(text, sources):
    """Pieces of a text: plain ones, and pairs of a piece and (page, anchor)."""
    marks = {}
    for brackets in BRACKETS.finditer(text):
        for key in KEY.finditer(brackets[0]):
            if key[0] in sources:
                start = brackets.start() + key.start()
                marks[start] = (key[0], (BIBLIOGRAPHY, anchor(key[0])))
    for number in ERRATUM.finditer(text):
        before = text[: number.start()].rstrip()
        if before.endswith(("erratum", "errata", "(", "(erratum", "and", ",")):
            marks[number.start()] = (number[0], (ERRATA, f"e{number[1]}"))
    at = 0
    for start in sorted(marks):
        piece, target = marks[start]
        yield text[at:start], None
        yield piece, target
        at = start + len(piece)
    yield text[at:], None


def anchors_of_errata(doctree):
    """Every entry of the list of errata gets an anchor of its number."""
    for strong in doctree.findall(nodes.strong):
        if ERRATUM.fullmatch(strong.astext()):
            strong["ids"].append(strong.astext().lower())


def on_resolved(app, doctree, docname):
    found = app.env.found_docs

    def reference(page, anchor_name, *children):
        uri = app.builder.get_relative_uri(docname, page) + (f"#{anchor_name}" if anchor_name else "")
        return nodes.reference("", "", *children, internal=True, refuri=uri)

    for literal in list(doctree.findall(nodes.literal)):
        page = page_of(literal.astext(), found)
        if page in found and page != docname and not isinstance(literal.parent, nodes.reference):
            literal.replace_self(reference(page, "", nodes.Text(app.env.titles[page].astext())))
    sources = app.env.sotto_sources
    for text in list(doctree.findall(nodes.Text)):
        if docname == BIBLIOGRAPHY or isinstance(text.parent, (nodes.literal, nodes.literal_block, nodes.reference, nodes.title, nodes.raw)):
            continue
        pieces = [(piece, target) for piece, target in linked(text.astext(), sources) if piece]
        if any(target for _, target in pieces) and not (docname == ERRATA and isinstance(text.parent, nodes.strong)):
            text.parent.replace(text, [reference(*target, nodes.Text(piece)) if target else nodes.Text(piece) for piece, target in pieces])
    for text in list(doctree.findall(nodes.Text)):  # between a parameter and what it means
        if text.astext() == " -- ":
            text.parent.replace(text, nodes.Text(" \N{EN DASH} "))
    for raw in doctree.findall(nodes.raw):  # a table of a notebook's output scrolls by itself, also by keys
        if "text_html" in raw.get("classes", []) + raw.parent.get("classes", []) and "<table>" in raw.astext():
            shown = raw.astext().replace("<table>", '<div class="pst-scrollable-table-container" tabindex="0"><table>').replace("</table>", "</table></div>")
            raw.children = [nodes.Text(shown)]
    for block in doctree.findall(nodes.literal_block):
        if block.astext().startswith("%%bash\n"):
            shown = block.astext().removeprefix("%%bash\n")
            block.children = [nodes.Text(shown)]
            block.rawsource = shown
            block["language"] = "bash"


def on_read(app, doctree):
    if app.env.docname == ERRATA:
        anchors_of_errata(doctree)


def on_begin(app, env, docnames):
    text = (app.srcdir / "references.bib").read_text(encoding="utf-8")
    env.sotto_sources = set(re.findall(r"^@\w+\{(\w+),", text, re.MULTILINE))


def setup(app):
    app.connect("env-before-read-docs", on_begin)
    app.connect("doctree-read", on_read)
    app.connect("doctree-resolved", on_resolved)
    return {"parallel_read_safe": True}
