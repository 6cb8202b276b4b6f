"""The directive `{r-manual} FOLDER`: every page of an R manual, as R's own tools write it."""
import re
import subprocess
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

WRITE = 'tools::Rd2HTML(commandArgs(TRUE), out = stdout(), stylesheet = "", dynamic = FALSE, permissive = TRUE)'


def parts(page):
    """Title and content of a page that Rd2HTML has written: headings are this site's, nothing is loaded."""
    title = re.search(r"<h2[^>]*>(.*?)</h2>", page, re.DOTALL)
    content = page[title.end() : page.rindex("</div>")]
    content = re.sub(r"<a [^>]*>(.*?)</a>", r"\1", content, flags=re.DOTALL)
    content = re.sub(r"<h3>(.*?)</h3>", r'<p class="rubric">\1</p>', content)
    content = content.replace("<table>", '<div class="pst-scrollable-table-container"><table class="table">').replace("</table>", "</table></div>")
    content = re.sub(r"<pre>", '<pre tabindex="0">', content)
    return re.sub(r"<[^>]+>", "", title[1]).strip(), re.sub(r"<hr ?/?>.*$", "", content, flags=re.DOTALL)


class RManual(SphinxDirective):
    required_arguments = 1

    def run(self):
        folder = Path(self.env.relfn2path(self.arguments[0])[1])
        found = []
        for path in sorted(folder.glob("*.Rd"), key=lambda path: ("-package" not in path.name, path.name)):
            self.env.note_dependency(str(path))
            run = subprocess.run(["Rscript", "-e", WRITE, str(path)], capture_output=True, text=True, timeout=60)
            if run.returncode != 0:
                raise ExtensionError(f"R could not write {path.name}: {run.stderr}")
            title, content = parts(run.stdout)
            section = nodes.section(ids=[f"r-{nodes.make_id(path.stem)}"], names=[path.stem])
            section += nodes.title("", "", nodes.literal("", path.stem), nodes.Text(": " + title))
            section += nodes.raw("", content, format="html")
            found.append(section)
        return found


def setup(app):
    app.add_directive("r-manual", RManual)
    return {"parallel_read_safe": True}
