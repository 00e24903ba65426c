"""Hooks of MkDocs. They link names of functions to their entries in the SQL reference, so that the pages' sources stay plain.
They convert formulas from TeX to MathML, which browsers display without a script. They rank the search index by titles and
keywords, and also write it as a script, for pages that are opened as files (theme/offline.js)."""

import html as escapes
import json
import re
import subprocess
from pathlib import Path

from mkdocs.utils import get_relative_url

reference = "doc/sql-reference"
# What stays as it is: links, headings, blocks of code.
kept = re.compile(r"(<a\b.*?</a>|<h[1-6]\b.*?</h[1-6]>|<pre\b.*?</pre>)", re.DOTALL)
# Formulas as the repository's own viewers expect them: $`TeX`$ in a line, and fences of the kind math (mkdocs.yml).
formula = re.compile(r'\$<code>(.*?)</code>\$|<div class="math">(.*?)</div>', re.DOTALL)
names = set()
headings = {}  # of pages, by address


def on_config(config):
    names.update(re.findall(r"^### (\w+)$", Path(config["docs_dir"], reference + ".md").read_text(), re.MULTILINE))


def mathml(formulas):
    """Converts formulas with Pandoc: a list of (TeX, whether it has lines of its own). A warning is an error."""
    marks = {False: "$", True: "$$"}
    text = "\n\n".join(f"{marks[display]}{' '.join(tex.split())}{marks[display]}" for tex, display in formulas)
    done = subprocess.run(["pandoc", "--from=markdown", "--to=html", "--mathml"], input=text, capture_output=True, text=True, check=True)
    found = re.findall(r"<math\b.*?</math>", done.stdout, re.DOTALL)
    if done.stderr or len(found) != len(formulas):
        raise ValueError(f"{len(found)} of {len(formulas)} formulas were converted: {done.stderr}")
    # The search would index the copy in TeX. Parentheses in a line keep their height.
    found = [re.sub(r"<annotation\b.*?</annotation>|</?semantics>", "", one, flags=re.DOTALL) for one in found]
    return [one if display else one.replace('stretchy="true"', 'stretchy="false"') for one, (_, display) in zip(found, formulas)]


def with_formulas(html):
    formulas = [(escapes.unescape(inline or block), bool(block)) for inline, block in formula.findall(html)]
    if not formulas:
        return html
    converted = iter(mathml(formulas))
    return formula.sub(lambda found: next(converted) if found[1] else f'<div class="math">{next(converted)}</div>', html)


def on_page_content(html, page, config, files):
    if page.url.startswith("api/"):
        return html  # names of C and C++
    html = with_formulas(html)
    headings[page.url] = page.toc.items[0].title
    within = page.url == reference + ".html"
    url = "" if within else get_relative_url(reference + ".html", page.url)
    # There, a name with its arguments is the entry.
    code = re.compile(r"<code>(\w+)</code>" if within else r"<code>(\w+)(\([^<]*\))?</code>")

    def linked(found):
        return f'<a href="{url}#{found[1]}">{found[0]}</a>' if found[1] in names else found[0]

    parts = kept.split(html)
    parts[::2] = [code.sub(linked, part) for part in parts[::2]]
    return "".join(parts)


def on_post_build(config):
    search = Path(config["site_dir"], "search")
    index = json.loads((search / "search_index.json").read_text())
    # The list of all changes has every term of the manual, and would hide the pages that explain them.
    index["docs"] = [entry for entry in index["docs"] if not entry["location"].startswith("CHANGELOG.html")]
    keywords = {page.replace("README.md", "index.html").replace(".md", ".html"): words for page, words in config["extra"]["keywords"].items()}
    for entry in index["docs"]:
        # The theme ranks keywords (tags) before titles, and titles before texts.
        entry["title"] = headings.get(entry["location"], entry["title"])
        if entry["location"] in keywords:
            entry["tags"] = keywords.pop(entry["location"])
        if entry["location"].startswith("api/"):
            entry["text"] = ""  # names are found, and comments do not hide the manual
    if keywords:
        raise ValueError(f"there are no such pages: {', '.join(keywords)}")
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (search / "search_index.json").write_text(text)
    (search / "search_index.js").write_text(f"searchIndex = {text};\n")
