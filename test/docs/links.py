"""Follows every link of a folder of HTML: python3 links.py FOLDER

A link within must lead to a file there and, behind a #, to an element of that id. What a page or a style loads must be
there, too, and not come from elsewhere. Prints what is wrong, a line each, and how much there was to look at.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

root = Path(sys.argv[1]).resolve()


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.path, self.ids, self.links = path, set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(value for key in ("id", "name") if (value := attributes.get(key)))
        loaded = tag in ("script", "img", "iframe", "source") or tag == "link" and attributes.get("rel") not in ("canonical", "prev", "next")
        for key in ("href", "src"):
            if value := attributes.get(key):
                self.links.append((value, loaded))


pages = {path: Page(path) for path in root.rglob("*.html")}
faults, seen = [], 0
for path, page in pages.items():
    for link, loaded in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if loaded and parts.scheme not in ("data", "javascript"):
                faults.append(f"{path.relative_to(root)} loads {link}")
            continue
        seen += 1
        base = root if parts.path.startswith("/") else path.parent  # as 404.html has it
        target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
        if target.is_dir():
            target /= "index.html"
        if not target.is_relative_to(root) or not target.is_file():
            faults.append(f"{path.relative_to(root)} links to {link}, which is not there")
        elif link == "#nested-classes":
            pass  # which Doxygen writes also where all of them are private
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            faults.append(f"{path.relative_to(root)} links to {link}, which has no such place")
for path in root.rglob("*.css"):
    for address in re.findall(r"(?:url\(|@import) *[\"']?((?:https?:)?//[^\"')]+)", path.read_text()):
        faults.append(f"{path.relative_to(root)} loads {address}")
print("\n".join(faults), f"{seen} links", sep="\n")
print(f"{len(faults)} faults")
sys.exit(1 if faults else 0)
