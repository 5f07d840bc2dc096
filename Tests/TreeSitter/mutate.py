"""Programs, changed: where their lines break and how they are indented, or any of their characters."""

import re

INDENTS = ["", " ", "  ", "   ", "    ", "      ", "\t", "          "]
COMMENTS = ["// why", "/// what", "//", "//// {", "// \"(", "// }"]
PIECES = ["{", "}", "(", ")", "[", "]", '"', '"""', "{x", "=>", "=", ":", ",", ";", "|", "|>", "-", " -1", "- ", "#", '#"', "\\",
          "`", "//", "\n", "\n  ", "\r\n", "if ", "then ", "else ", "match x {", "as y", "x", "f(x)", "Some(x)", "_", "1.5", "2s",
          "input ", "\noutput a = ", "\ny = ", "test \"\" {", "±", "é", "...", "..", ".x", "!", "x: Int", "{}", "null"]


def move_layout(text, random):
    """Other line breaks, indentations and comments; most of the results are programs."""
    lines = text.split("\n")
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(lines))
        line = lines[at]
        body = line.lstrip()
        choice = random.randrange(9)
        if choice == 0:
            lines.insert(at, random.choice(["", "  ", "\t"]))
        elif choice == 1:
            lines.insert(at, random.choice(INDENTS) + random.choice(COMMENTS))
        elif choice == 2 and line.count('"') % 2 == 0:
            lines[at] = line + " " + random.choice(COMMENTS)
        elif choice == 3:
            lines[at] = random.choice(INDENTS) + body
        elif choice == 4:
            # The lines that are indented as deep or deeper follow.
            depth = len(line) - len(body)
            added = random.choice([1, 2, 4])
            while at < len(lines) and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) >= depth):
                lines[at] = " " * added + lines[at] if lines[at].strip() else lines[at]
                at += 1
        elif choice in (5, 6):
            blanks = [match.start() for match in re.finditer(r"(?<=\S) (?=\S)", line)]
            if blanks:
                place = random.choice(blanks)
                lines[at:at + 1] = [line[:place], random.choice(INDENTS) + line[place + 1:]]
        elif choice == 7 and at + 1 < len(lines) and "//" not in line:
            lines[at:at + 2] = [line + random.choice([" ", "; "]) + lines[at + 1].lstrip()]
        elif choice == 8:
            brackets = [match.end() for match in re.finditer(r"[({\[,]|(?=[)}\]])", line)]
            if brackets:
                place = random.choice(brackets)
                lines[at:at + 1] = [line[:place], random.choice(INDENTS) + line[place:]]
    end = random.choice(["\n", "\n", "\n", "\r\n"])
    return end.join(lines)


def spoil(text, random):
    """Characters taken out, put in and moved; few of the results are programs."""
    for _ in range(random.randint(1, 3)):
        begin = random.randrange(len(text) + 1)
        end = min(len(text), begin + random.choice([0, 0, 1, 1, 2, 5, 20]))
        piece = random.choice(PIECES)
        if random.random() < 0.2:
            other = random.randrange(len(text) + 1)
            piece = text[other:other + random.choice([1, 5, 30])]
        text = text[:begin] + piece + text[end:]
    return text
