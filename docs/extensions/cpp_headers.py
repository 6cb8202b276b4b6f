"""The directive `{cpp-headers} HEADER.hpp`: what the headers that it includes declare, in their order: purpose, comments and declarations,
without bodies, private members and includes."""
import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

INCLUDED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
GROUP = re.compile(r"^// (sotto::\w+): (.*)$")
# What begins a declaration whose braces hold declarations or values, not a body.
KEPT = re.compile(r"^\s*(?:template\s*<[^{]*>\s*)?(?:typedef |inline )*(?:struct|class|enum|union|namespace|concept|using|extern)\b")


# A function's statement before the brace of its body, and the initialisers that a constructor has there.
BODY = re.compile(r"\)(?:\s|const\b|noexcept\b|override\b|final\b)*(?:->[^{}]*)?(?::.*)?$", re.DOTALL)
INITIALISERS = re.compile(r"\)(\s*noexcept)?\s*:\s*\w+[({<].*$", re.DOTALL)


def closing(text, at):
    """The index behind the brace that closes the one at `at`. Comments and texts of one line are skipped."""
    depth = 0
    while at < len(text):
        if text.startswith("//", at):
            at = text.index("\n", at)
        elif text[at] == '"':
            at = text.index('"', at + 1)
        elif text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise ValueError("a brace is left open")


def without_bodies(text):
    """Functions end with a semicolon where their body stood; initialisers of constructors go with it."""
    done, at, begun = "", 0, 0  # `begun`: where in `done` the present statement begins
    while at < len(text):
        if text.startswith("//", at):
            end = text.index("\n", at) + 1
            done += text[at:end]
            at = end
            if not done[begun:].split("//")[0].strip():
                begun = len(done)
            continue
        statement = done[begun:]
        if text[at] == "{" and not KEPT.match(statement):
            end = closing(text, at)
            if BODY.search(statement):
                done = done[:begun] + re.sub(INITIALISERS, r")\1", statement).rstrip() + ";"
                begun = len(done)
            else:  # values in braces belong to the declaration
                done += text[at:end]
            at = end
            continue
        done += text[at]
        if text[at] in ";{}" or re.search(r"(?:public|private|protected):$", done):
            begun = len(done)
        at += 1
    return done


def without_private(text):
    while (found := re.search(r"^ *(?:private|protected):", text, re.MULTILINE)) is not None:
        depth, at = 1, found.end()
        while depth:
            if text.startswith("//", at):
                at = text.index("\n", at)
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        line = text.rindex("\n", 0, at) + 1  # of the brace that closes the class
        text = text[: found.start()].rstrip() + "\n" + text[line:]
    return text


def synopsis(text):
    """Purpose and declarations of a header."""
    head, _, body = text.partition("#pragma once")
    purpose = " ".join(line.removeprefix("//").strip() for line in head.splitlines() if line.startswith("//"))
    body = "\n".join(line for line in body.splitlines() if not line.startswith(("#include", "namespace sotto", "}  // namespace")))
    body = without_bodies(without_private(body + "\n"))
    body = re.sub(r"^static_assert\(.*?\);$", "", body, flags=re.MULTILINE | re.DOTALL)
    return purpose, re.sub(r"\n{3,}", "\n\n", body).strip()


class CppHeaders(SphinxDirective):
    required_arguments = 1

    def run(self):
        path = Path(self.env.relfn2path(self.arguments[0])[1])
        source = next(folder for folder in path.parents if (folder / "CMakeLists.txt").exists() and folder.name == "src")
        found, group = [], None
        for line in path.read_text(encoding="utf-8").splitlines():
            named = GROUP.match(line)
            if named:
                group = nodes.section(ids=[nodes.make_id(named[1])], names=[named[1]])
                group += nodes.title("", "", nodes.literal("", named[1]))
                group += nodes.paragraph("", named[2][0].upper() + named[2][1:])
                found.append(group)
            included = INCLUDED.match(line)
            if included:
                header = source / included[1]
                self.env.note_dependency(str(header))
                purpose, declared = synopsis(header.read_text(encoding="utf-8"))
                section = nodes.section(ids=[nodes.make_id(included[1])], names=[included[1]])
                section += nodes.title("", "", nodes.literal("", included[1]))
                section += nodes.paragraph("", purpose)
                section += nodes.literal_block(declared, declared, language="cpp", classes=["synopsis"])
                group += section
        return found


def setup(app):
    app.add_directive("cpp-headers", CppHeaders)
    return {"parallel_read_safe": True}
