#!/usr/bin/env python3
"""Draws what an editor shows of a session of the debug adapter: `draw.py SESSION.dap SOURCE PICTURE.svg`.

SESSION.dap is a transcript of the tests (tests/debug/README.md). The picture has the state at the last stop for which the
session asks for variables: the source with the line, the threads, the call stack, the scopes, and the console before it."""
import json
import sys
from html import escape

WIDTH, LINE, CHAR = 960, 19, 7.9
CODE, SIDE = 330, 14


def answers(path):
    """Requests: the command, its arguments, the messages behind it."""
    all_requests = []
    for line in open(path, encoding="utf-8"):
        mark, text = line.rstrip("\n").split(" ", 1)
        if mark == "->":
            command, _, arguments = text.partition(" ")
            all_requests.append((command, json.loads(arguments or "{}"), []))
        else:
            all_requests[-1][2].append(json.loads(text))
    return all_requests


def state(path):
    """Console, stack, threads, scopes with their variables at the last stop that was looked at."""
    console, stack, threads, scopes, values = [], [], [], [], {}
    for command, arguments, messages in answers(path):
        body = next((m["body"] for m in messages if m.get("command") == command), {})
        if command == "evaluate":
            console.append("> " + arguments["expression"])
            console += body.get("result", "").strip().split("\n")
        elif command == "stackTrace" and not values:
            stack = body["stackFrames"]
        elif command == "threads":
            threads = body["threads"]
        elif command == "scopes":
            scopes = body["scopes"]
        elif command == "variables":
            values[arguments["variablesReference"]] = body["variables"]
    return [line for line in console if line], stack, threads, scopes, values


class Picture:
    def __init__(self):
        self.parts = []

    def text(self, x, y, text, kind="code", width=None):
        most = int((width or WIDTH - x) / CHAR)
        shown = text if len(text) <= most else text[: most - 1] + "…"
        self.parts.append(f'<text x="{x}" y="{y}" class="{kind}">{escape(shown)}</text>')

    def box(self, x, y, width, height, kind):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" class="{kind}"/>')


def draw(session, source):
    console, stack, threads, scopes, values = state(session)
    lines = open(source, encoding="utf-8").read().rstrip("\n").split("\n")
    picture, left, right = Picture(), 24, 24
    here = stack[0]["line"]

    def side(text, kind="code", indent=0):
        nonlocal left
        picture.text(SIDE + indent, left, text, kind, CODE - SIDE - indent - 8)
        left += LINE

    for scope in scopes:
        shown = values.get(scope["variablesReference"])
        side(("▾ " if shown else "▸ ") + scope["name"].upper(), "title")
        for value in shown or []:
            side(f'{value["name"]}: {value["value"]}', indent=16)
    left += LINE // 2
    side("▾ CALL STACK", "title")
    for thread in threads:
        side(thread["name"], indent=16)
    for frame in stack:
        side(f'{frame["name"]}  {frame["source"]["name"]}:{frame["line"]}', "frame", 28)

    picture.text(CODE + 16, right, source.rsplit("/", 1)[-1], "title")
    right += LINE
    for number, line in enumerate(lines, 1):
        if number == here:
            picture.box(CODE, right - 14, WIDTH - CODE, LINE, "line")
            picture.text(CODE + 8, right, "▷", "arrow")
        picture.text(CODE + 24, right, f"{number:3}", "number")
        picture.text(CODE + 60, right, line.replace("\t", "        "))
        right += LINE
    right += LINE
    bottom = right
    picture.text(CODE + 16, right, "DEBUG CONSOLE", "title")
    right += LINE
    for line in console:
        picture.text(CODE + 24, right, line.replace("\t", "  "), "asked" if line.startswith("> ") else "code")
        right += LINE

    height = max(left, right) + 8
    style = """
text { font: 13px ui-monospace, monospace; fill: #222; white-space: pre } .title { font-weight: bold; fill: #555 }
.number { fill: #999 } .arrow, .asked { fill: #0066bf } .frame { fill: #7a3e00 } .page { fill: #fff } .side { fill: #f3f3f3 }
.line { fill: #fff3b0 } .rule { stroke: #ddd }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .title { fill: #aaa } .number { fill: #777 } .arrow, .asked { fill: #6cb6ff }
.frame { fill: #e0b080 } .page { fill: #1e1e1e } .side { fill: #252526 } .line { fill: #4b4b18 } .rule { stroke: #444 } }"""
    rules = f'<path class="rule" d="M{CODE} 0V{height}M{CODE} {bottom - 14}H{WIDTH}"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">'
    label = f"<title>{escape(source.rsplit('/', 1)[-1])}, line {here}, in the debug adapter</title>"
    page = f'<rect width="{WIDTH}" height="{height}" class="page"/><rect width="{CODE}" height="{height}" class="side"/>'
    return "\n".join([head, label, f"<style>{style}</style>", page, rules, *picture.parts, "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: draw.py SESSION.dap SOURCE PICTURE.svg")
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.write(draw(sys.argv[1], sys.argv[2]))
