"""The documentation site: Sphinx reads this. tools/site builds it."""
import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS / "extensions"))

# Pages that run find the tables and examples of the checkout here (docs/guides).
os.environ["SOTTO_CHECKOUT"] = str(ROOT)

project = "Sotto"
author = "the authors of Sotto"
version = release = re.search(r"project\(sotto VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "bibliography",
    "command_line",
    "cpp_headers",
    "cross_references",
    "r_manual",
]
exclude_patterns = ["extensions", "requirements.txt", "static"]
source_suffix = {".md": "myst-nb"}
highlight_language = "text"
smartquotes = False  # "--" is what an option begins with
nitpicky = True
# Types of other projects, whose documentation is not at hand when the site is built; and of the package's own modules.
nitpick_ignore_regex = [("py:.*", r"(numpy|np|npt|pandas|pyarrow|sklearn|xarray|arviz|pathlib|os|collections|typing)\..*")]

myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

napoleon_google_docstring = False
autodoc_typehints = "description"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "Sotto"
# A first visit has no mode of its own yet, of which the theme's script would complain on the console.
html_js_files = [(None, {"body": "document.documentElement.dataset.mode ||= 'auto'"})]
html_static_path = ["static"]
html_favicon = "static/icon.svg"
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {page: [] for page in ("index", "overview", "ten-minutes", "comparison")}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    # Guides show what a program says, whose lines are long.
    "secondary_sidebar_items": {"[!g]*": ["page-toc"], "guides/*": []},
}
project_copyright = "the authors of Sotto; BSD licence, three clauses"


def add_dark_without_scripts(app, exception):
    """The theme's dark colours hang on an attribute that its script sets; without scripts they follow the reader's setting."""
    if exception is not None or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    rules = []
    for name in ("styles/pydata-sphinx-theme.css", "pygments.css"):
        for selector, body in re.findall(r"(html\[data-theme=\"?dark\"?\][^{},]*)(\{[^}]*\})", (static / name).read_text()):
            rules.append(re.sub(r"\[data-theme=\"?dark\"?\]", ":not([data-theme])", selector) + body)
    with (static / "site.css").open("a") as site:
        site.write("@media screen and (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}\n")


def setup(app):
    app.connect("build-finished", add_dark_without_scripts)
