"""What MkDocs does beyond its own: a function's name leads to its entry in the SQL reference, while the pages themselves stay
plain; and the index of the search is a script, too, for pages that are opened as files (theme/offline.js)."""

import re
from pathlib import Path

from mkdocs.utils import get_relative_url

reference = "doc/sql-reference"
# What stays as it is: links, headings, blocks of code.
kept = re.compile(r"(<a\b.*?</a>|<h[1-6]\b.*?</h[1-6]>|<pre\b.*?</pre>)", re.DOTALL)
names = set()


def on_config(config):
    names.update(re.findall(r"^### (\w+)$", Path(config["docs_dir"], reference + ".md").read_text(), re.MULTILINE))


def on_page_content(html, page, config, files):
    url = "" if page.url == reference + ".html" else get_relative_url(reference + ".html", page.url)

    def linked(code):
        return f'<a href="{url}#{code[2]}">{code[0]}</a>' if code[2] in names else code[0]

    parts = kept.split(html)
    parts[::2] = [re.sub(r"(<code>)(\w+)(\([^<]*\))?</code>", linked, part) for part in parts[::2]]
    return "".join(parts)


def on_post_build(config):
    search = Path(config["site_dir"], "search")
    (search / "search_index.js").write_text(f"searchIndex = {(search / 'search_index.json').read_text()};\n")
