"""Checks the built site: no page loads anything from elsewhere, every link within it leads somewhere, and pictures have a text.

usage: check_site.py FOLDER
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches when it shows a page.
FETCHED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("audio", "src"), ("object", "data"),
           ("embed", "src"), ("input", "src"), ("img", "srcset"), ("source", "srcset")}
FETCHED_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "preconnect", "dns-prefetch", "shortcut icon"}
STYLE_URL = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.fetched, self.bare_images = set(), [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.update(value for name, value in attributes if name in ("id", "name") and value)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "img" and not given.get("alt"):
            self.bare_images.append(given.get("src", ""))
        self.fetched += [value for name, value in attributes if (tag, name) in FETCHED and value]
        if tag == "link" and given.get("rel") in FETCHED_RELATIONS:
            self.fetched.append(given.get("href", ""))
        self.fetched += STYLE_URL.findall(given.get("style") or "")


def is_elsewhere(address):
    return urlsplit(address).scheme in ("http", "https") or address.startswith("//")


def faults(folder):
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        if "_static" not in path.relative_to(folder).parts:
            pages[path] = Page()
            pages[path].feed(path.read_text(encoding="utf-8"))
    for path, page in pages.items():
        name = path.relative_to(folder)
        for address in page.fetched:
            if is_elsewhere(address):
                yield f"{name}: loads {address}"
            elif not address.startswith("data:") and not (path.parent / unquote(urlsplit(address).path)).exists():
                yield f"{name}: no such file: {address}"
        for source in page.bare_images:
            yield f"{name}: the picture {source[:60]} has no text"
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target not in pages:
                if not target.exists():
                    yield f"{name}: no such page: {link}"
            elif parts.fragment and unquote(parts.fragment) not in pages[target].ids:
                yield f"{name}: no such place: {link}"
    for path in folder.rglob("*.css"):
        if STYLE_URL.search(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(folder)}: a style loads something from elsewhere"
    if not pages:
        yield "no page was built"


if __name__ == "__main__":
    found = sorted(set(faults(Path(sys.argv[1]).resolve())))
    print("\n".join(found + [f"{len(found)} faults of the site"]))
    sys.exit(1 if found else 0)
