"""How Sphinx builds the site; build.py prepares the sources."""

import html
import os
import sys
from pathlib import Path

from docutils import nodes

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from chapters import slug  # noqa: E402

project = "Transformers, built one tested piece at a time"
html_title = "Transformers"
author = "the authors of the course"
project_copyright = "Code: MIT. Text and figures: CC-BY-4.0."
html_show_copyright = True
extensions = ["myst_nb"]
nb_execution_mode = "off"
nb_render_text_lexer = "none"
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 6
myst_heading_slug_func = slug
myst_links_external_new_tab = False
suppress_warnings = ["config.cache", "myst.header", "myst.xref_missing", "mystnb.unknown_mime_type"]
html_theme = "furo"
templates_path = [str(HERE / "templates")]
html_static_path = [os.environ["SITE_STATIC"]]
html_css_files = ["tl/katex/katex.min.css", "tl/explorers/explorers.css", "tl/site.css"]
html_favicon = str(HERE / "css" / "favicon.svg")
html_js_files = [("tl/page.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_math_renderer = "tex"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace"
COMMON = {"font-stack": FONT, "font-stack--monospace": MONO, "content-padding": "2.5em"}
html_theme_options = {
    "light_css_variables": COMMON
    | {
        "color-brand-primary": "#00618f",
        "color-brand-content": "#00618f",
        "color-brand-visited": "#6b4a86",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7cc4ee",
        "color-brand-content": "#7cc4ee",
        "color-brand-visited": "#c9a6e2",
    },
}


def _formula(writer, node):
    """Write a formula as its TeX; build.py sets those of all pages at once."""
    tag = "div" if isinstance(node, nodes.math_block) else "span"
    text = html.escape(node.astext())
    writer.body.append(f'<{tag} class="math notranslate nohighlight">{text}</{tag}>')
    raise nodes.SkipNode


def setup(app):
    """Take formulas as they are."""
    app.add_html_math_renderer("tex", (_formula, None), (_formula, None))
