"""The pages that are no chapter: the front page with its map, and how to run the course."""

import html
import re

# What a chapter of the README's table belongs to; the trunk comes first.
TRUNK = ("00", "01", "02", "03", "04")
BRANCHES = {
    "Decoders: models that write": ("05", "05b"),
    "Encoders: models that read": ("06", "06b", "08a", "08b"),
    "Pictures": ("07", "09", "10"),
}
ROW = re.compile(r"^\| (\d+\w?) \| \[(.+?)\]\(notebooks/(\w+)\.ipynb\) \| (.+?) \| ready \|$", re.M)
FORK = (
    '<svg class="tl-fork" viewBox="0 0 600 26" preserveAspectRatio="none" aria-hidden="true">'
    '<path d="M300 0V10M100 26V10H500V26M300 10V26" fill="none" stroke="currentColor" '
    'stroke-width="1.5" vector-effect="non-scaling-stroke"/></svg>'
)


def filled(text, readme, chapters, family, repository, explorer):
    """Return the Markdown of a page with what the build knows in place of its capitals."""
    ready = {number: found for number, *found in ROW.findall(readme)}
    routes = readme.partition("| route |")[2].partition("|---|---|---|\n")[2].partition("\n\n")[0]
    text = re.sub(r"^EXPLORER (\S+) (.+)$", lambda m: explorer(m[1], m[2]), text, flags=re.M)
    return (
        text.replace("CHAPTERS", "\n".join(chapters))
        .replace("MAP\n", _map(ready) + "\n")
        .replace("FAMILY\n", family + "\n")
        .replace("ROUTES\n", routes + "\n")
        .replace("BINDER\n", _binder(repository) + "\n")
        .replace("CLONE", _clone(repository))
    )


def binder(repository, chapter):
    """The address of a chapter on Binder."""
    return f"https://mybinder.org/v2/gh/{repository}/HEAD?labpath=notebooks%2F{chapter}.ipynb"


def _binder(repository):
    if not repository:
        return (
            "The repository of the course holds all that [Binder](https://mybinder.org) needs: "
            "enter its address there."
        )
    return (
        f"[Open chapter 00 on Binder]({binder(repository, '00_start_here')}): nothing to install."
    )


def _clone(repository):
    address = f"https://github.com/{repository}" if repository else "ADDRESS-OF-THE-REPOSITORY"
    return f"git clone {address} transformers-course && cd transformers-course"


def _map(ready):
    def card(number):
        if number not in ready:
            return '<li><span class="tl-planned">10 · Text and pictures: planned</span></li>'
        title, file, what = (html.escape(part) for part in ready[number])
        return f'<li><a href="{file}.html"><b>{number} · {title}</b>{what}</a></li>'

    trunk = "".join(map(card, TRUNK))
    branches = "".join(
        f"<div><h3>{name}</h3><ol>{''.join(map(card, numbers))}</ol></div>"
        for name, numbers in BRANCHES.items()
    )
    return (
        f'<div class="tl-map"><ol class="tl-trunk">{trunk}</ol>{FORK}'
        f'<div class="tl-branches">{branches}</div></div>'
    )
