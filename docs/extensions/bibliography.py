"""The directive `{bibliography} FILE.bib`: every source of a BibTeX file, under the key by which text cites it."""
import re
import unicodedata
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ENTRY = re.compile(r"^@\w+\{(\w+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"(\w+)\s*=\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
ACCENTS = {"'": "\u0301", "`": "\u0300", '"': "\u0308", "c": "\u0327", "u": "\u0306", "v": "\u030c", "H": "\u030b", "~": "\u0303"}
ACCENTED = re.compile(r"""\{?\\(?:(['`"~])|([cuvH])(?=[\s{]))\s*\{?\\?([A-Za-z])\}?\}?""")


def plain(text):
    text = text.replace("{\\i}", "ı").replace("$\\widehat{R}$", "R\u0302")
    text = ACCENTED.sub(lambda found: unicodedata.normalize("NFC", found[3] + ACCENTS[found[1] or found[2]]), text).replace("\\&", "&")
    return re.sub(r"\s+", " ", text.replace("{", "").replace("}", "").replace("--", "–").replace("~", " "))


def entries(text):
    """Pairs of key and fields."""
    return [(key, {name.lower(): plain(value) for name, value in FIELD.findall(body)}) for key, body in ENTRY.findall(text)]


def anchor(key):
    return f"source-{key.lower()}"


def line(fields):
    """A source in one line."""
    where = [fields.get(name) for name in ("journal", "booktitle", "school", "publisher", "howpublished") if fields.get(name)]
    numbers = "".join([f" {fields['volume']}" if "volume" in fields else "", f", {fields['pages']}" if "pages" in fields else ""])
    parts = [fields.get("author", "").replace(" and ", ", "), fields.get("title", ""), (", ".join(where) + numbers).strip(), fields.get("year", "")]
    return ". ".join(part for part in parts if part) + "."


class Bibliography(SphinxDirective):
    required_arguments = 1

    def run(self):
        path = Path(self.env.relfn2path(self.arguments[0])[1])
        self.env.note_dependency(str(path))
        found = nodes.definition_list()
        for key, fields in entries(path.read_text(encoding="utf-8")):
            term = nodes.term("", key, ids=[anchor(key)])
            text = nodes.definition("", nodes.paragraph("", line(fields)))
            found += nodes.definition_list_item("", term, text)
        return [found]


def setup(app):
    app.add_directive("bibliography", Bibliography)
    return {"parallel_read_safe": True}
