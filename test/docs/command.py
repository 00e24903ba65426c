"""Compares the page of the command with the command's own help: python3 command.py LDP PAGE

The page must have a section for each command, with its usage and its options. A default that the help has must be the same on
the page. Prints each difference, and their number.
"""

import re
import subprocess
import sys

program, page = sys.argv[1:]


def help_of(*command):
    return subprocess.run([program, "help", *command], check=True, capture_output=True, text=True).stdout


def options_of_help(text):
    """Name -> default, empty if the help has none."""
    return {name: default or None for name, default in re.findall(r"^  --([\w-]+)(?: arg)?(?: \(=(\S+)\))?(?= |$)", text, re.MULTILINE)}


def options_of_page(section):
    """Name -> default. A row may describe several options; a default in code is one of the program."""
    found = {}
    for names, default in re.findall(r"^\| (`--[^|]*) \| ([^|]*) \|", section, re.MULTILINE):
        literal = re.fullmatch(r"`([^`]+)`", default)
        found.update({name: literal and literal[1] for name in re.findall(r"`--([\w-]+)`", names)})
    return found


sections = {title: text for title, text in re.findall(r"^## ldp (\w+)\n(.*?)(?=^## |\Z)", open(page, encoding="utf-8").read(), re.MULTILINE | re.DOTALL)}
commands = re.findall(r"^  (\w+)  ", help_of(), re.MULTILINE)
faults = [f"no section about ldp {name}" for name in commands if name not in sections]
faults += [f"there is no ldp {name}" for name in sections if name not in commands]
compared = 0
for name in commands:
    text, section = help_of(name), sections.get(name, "")
    usage = re.search(r"^usage: (.*)$", text, re.MULTILINE)[1]
    if section and f"```text\n{usage}\n```" not in section:
        faults.append(f"ldp {name}: the usage is not {usage}")
    helped, shown = options_of_help(text), options_of_page(section)
    compared += len(helped)
    faults += [f"ldp {name}: no --{option} on the page" for option in helped if section and option not in shown]
    faults += [f"ldp {name}: there is no --{option}" for option in shown if option not in helped]
    faults += [f"ldp {name}: the default of --{option} is {helped[option]}, not {shown[option]}"
               for option in helped if option in shown and helped[option] != shown[option]]
print("\n".join(faults), f"{compared} options", f"{len(faults)} differences", sep="\n")
sys.exit(1 if faults or compared == 0 else 0)
