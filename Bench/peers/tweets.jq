# W10: jq -nrf tweets.jq < tweets.jsonl
reduce inputs as $t ({}; .[$t.brand] += 1.0 + 1.01 * $t.followers) | to_entries[] | "\(.key) \(.value)"
