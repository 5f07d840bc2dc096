package frp.flink;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Finds the scalars of a line of JSON, and what moment one states, as {@code frp run} does. */
final class Fields {
  private byte[] text;
  private int at, end;

  /** The value found last: its text without quotes, and whether it had quotes. */
  byte[] value;

  int start, stop;
  boolean isText;

  /** Seconds since 1970 and nanoseconds of the moment that was understood last. */
  long seconds, nanoseconds;

  private static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Malformed() {
      super(null, null, false, false);
    }
  }

  private static final Malformed MALFORMED = new Malformed();

  /** Whether the object in {@code text[from..<to]} has a scalar at a path; of a key that comes twice the last counts. */
  boolean find(byte[] text, int from, int to, byte[][] path) {
    this.text = text;
    at = from;
    end = to;
    try {
      for (byte[] key : path) if (!goTo(key)) return false;
      return scalar();
    } catch (Malformed malformed) {
      return false;
    }
  }

  private byte next() {
    if (at >= end) throw MALFORMED;
    return text[at];
  }

  private void skipSpace() {
    while (at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) at++;
  }

  private boolean passes(char sign) {
    skipSpace();
    if (at >= end || text[at] != sign) return false;
    at++;
    return true;
  }

  private boolean goTo(byte[] key) {
    if (!passes('{') || passes('}')) return false;
    int found = -1;
    do {
      skipSpace();
      string();
      boolean isWanted = Arrays.equals(value, start, stop, key, 0, key.length);
      if (!passes(':')) throw MALFORMED;
      skipSpace();
      if (isWanted) found = at;
      skipValue();
    } while (passes(','));
    if (found < 0) return false;
    at = found;
    return true;
  }

  private boolean scalar() {
    byte first = next();
    isText = first == '"';
    if (isText) {
      string();
      return true;
    }
    if (first != '-' && (first < '0' || first > '9') && first != 't' && first != 'f') return false;
    value = text;
    start = at;
    skipValue();
    stop = at;
    return true;
  }

  private void skipValue() {
    int depth = 0;
    do {
      skipSpace();
      byte sign = next();
      if (sign == '"') skipString();
      else if (sign == '{' || sign == '[') {
        depth++;
        at++;
      } else if (sign == '}' || sign == ']') {
        depth--;
        at++;
      } else if (sign == ',' || sign == ':') at++;
      else while (at < end && ",:]} \t\r\n".indexOf(text[at]) < 0) at++;
    } while (depth > 0);
  }

  private void skipString() {
    at++;
    while (next() != '"') at += text[at] == '\\' ? 2 : 1;
    at++;
  }

  private void string() {
    if (next() != '"') throw MALFORMED;
    int first = at + 1;
    skipString();
    value = text;
    start = first;
    stop = at - 1;
    for (int i = start; i < stop; i++) {
      if (text[i] == '\\') {
        unescape();
        return;
      }
    }
  }

  private void unescape() {
    StringBuilder made = new StringBuilder();
    String all = new String(text, start, stop - start, StandardCharsets.UTF_8);
    for (int i = 0; i < all.length(); i++) {
      char sign = all.charAt(i);
      if (sign != '\\') {
        made.append(sign);
        continue;
      }
      if (++i >= all.length()) throw MALFORMED;
      switch (all.charAt(i)) {
        case 'n' -> made.append('\n');
        case 't' -> made.append('\t');
        case 'r' -> made.append('\r');
        case 'b' -> made.append('\b');
        case 'f' -> made.append('\f');
        case 'u' -> {
          if (i + 4 >= all.length()) throw MALFORMED;
          try {
            made.append((char) Integer.parseInt(all, i + 1, i + 5, 16));
          } catch (NumberFormatException error) {
            throw MALFORMED;
          }
          i += 4;
        }
        default -> made.append(all.charAt(i));
      }
    }
    value = made.toString().getBytes(StandardCharsets.UTF_8);
    start = 0;
    stop = value.length;
  }

  // Keys

  /** A number of the value found last that is the same for equal keys of a type; -1 where it is none of the type. */
  int hash(char type) {
    switch (type) {
      case 'S':
        if (!isText) return -1;
        int hash = 1;
        for (int i = start; i < stop; i++) hash = 31 * hash + value[i];
        return mixed(hash);
      case 'B':
        return isText ? -1 : mixed(value[start]);
      default:
        if (isText) return -1;
        try {
          long number = whole();
          return mixed((int) (number ^ number >>> 32));
        } catch (NumberFormatException | ArithmeticException error) {
          return -1;
        }
    }
  }

  private long whole() {
    String digits = new String(value, start, stop - start, StandardCharsets.US_ASCII);
    for (int i = start; i < stop; i++) {
      if (value[i] == '.' || value[i] == 'e' || value[i] == 'E') return new java.math.BigDecimal(digits).longValueExact();
    }
    return Long.parseLong(digits);
  }

  private static int mixed(int hash) {
    hash = (hash ^ hash >>> 16) * 0x85ebca6b;
    hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
    return (hash ^ hash >>> 16) & 0x7fffffff;
  }

  // Moments

  /**
   * Understands the value found last: seconds or parts of them, or {@code 2026-01-02T03:04:05.6Z}. Of the other forms that
   * {@code frp run} knows, none.
   */
  boolean moment(long fraction) {
    if (value[start] == 't' || value[start] == 'f') return false;
    int place = start;
    boolean isNegative = place < stop && value[place] == '-';
    if (isNegative || (place < stop && value[place] == '+')) place++;
    int first = place;
    long whole = 0;
    while (place < stop && isDigit(place)) {
      if (whole >= Long.MAX_VALUE / 10) return false;
      whole = whole * 10 + value[place++] - '0';
    }
    if (place == first) return false;
    if (place < stop && value[place] != '.') return !isNegative && place - first == 4 && calendar();
    nanoseconds = 0;
    if (place < stop) {
      long scale = 100_000_000;
      for (place++; place < stop && isDigit(place); place++, scale /= 10) nanoseconds += (value[place] - '0') * scale;
      if (place < stop) return false;
    }
    seconds = whole;
    if (isNegative) {
      seconds = nanoseconds == 0 ? -whole : -whole - 1;
      nanoseconds = nanoseconds == 0 ? 0 : 1_000_000_000 - nanoseconds;
    }
    if (fraction != 1) {
      long rest = Math.floorMod(seconds, fraction);
      nanoseconds = rest * (1_000_000_000 / fraction) + nanoseconds / fraction;
      seconds = Math.floorDiv(seconds, fraction);
    }
    return seconds < 253_402_300_800L;
  }

  private boolean isDigit(int place) {
    return value[place] >= '0' && value[place] <= '9';
  }

  private boolean calendar() {
    try {
      String said = new String(value, start, stop - start, StandardCharsets.US_ASCII).replace(' ', 'T');
      java.time.Instant moment =
          said.endsWith("Z") || said.lastIndexOf('+') > 10 || said.lastIndexOf('-') > 10
              ? java.time.OffsetDateTime.parse(said).toInstant()
              : said.length() == 10
                  ? java.time.LocalDate.parse(said).atStartOfDay().toInstant(java.time.ZoneOffset.UTC)
                  : java.time.LocalDateTime.parse(said).toInstant(java.time.ZoneOffset.UTC);
      seconds = moment.getEpochSecond();
      nanoseconds = moment.getNano();
      return true;
    } catch (java.time.format.DateTimeParseException error) {
      return false;
    }
  }
}
