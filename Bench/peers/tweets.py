# W10: python3 tweets.py < tweets.jsonl
import json, sys

sums = {}
for line in sys.stdin:
    t = json.loads(line)
    sums[t["brand"]] = sums.get(t["brand"], 0.0) + 1.0 + 1.01 * t["followers"]
for brand, total in sums.items():
    print(brand, total)
