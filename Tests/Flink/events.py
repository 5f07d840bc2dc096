"""Lines of visits and refunds: events.py COUNT FOLDER. The same each time; in each file out of order by up to 2 s."""

import pathlib
import random
import sys


def write(count, folder):
    draw = random.Random(7)
    users = [f"user{n}" for n in range(5000)] + ['an "é" of her own', "a\\b"]
    quoted = [user.replace("\\", "\\\\").replace('"', '\\"') for user in users]
    quoted[-2] = quoted[-2].replace("é", "\\u00e9")
    for name, share in (("visit", 1), ("refund", 10)):
        lines = []
        for number in range(count // share):
            at = number * 0.001 * share + draw.random() * 2
            lines.append(f'{{"at":{at:.3f},"user":"{quoted[int(draw.random() ** 2 * len(users))]}","amount":{int(draw.random() * 1000)}}}\n')
        (pathlib.Path(folder) / f"{name}.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    write(int(sys.argv[1]), sys.argv[2])
