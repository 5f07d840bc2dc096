// A compressed body, taken apart as it comes. libcurl would do it, and would take one that is cut off for a whole one.

#include "Net.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum { BLOCK = 64 << 10, GZIP_OR_ZLIB = 32 + MAX_WBITS };

struct frp_decoder {
  z_stream stream;
  unsigned has_begun : 1, has_ended : 1, is_gzip : 1;
  /// Of the bytes that libcurl gives again, since not all that comes of them was taken: how many have been.
  size_t taken;
  /// What came of them and waits.
  size_t from, to;
  uint8_t block[BLOCK];
};

/// The value of a header in the head of an answer; NULL without it.
static const char *header(const frp_http *http, const char *name, size_t *count) {
  size_t length = strlen(name);
  for (const char *line = http->head, *end = line + http->head_count, *next; line < end; line = next) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    next = stop ? stop + 1 : end;
    if ((size_t)(next - line) <= length || strncasecmp(line, name, length) != 0 || line[length] != ':') continue;
    line += length + 1;
    while (line < next && strchr(" \t\r\n", *line)) line++;
    *count = strcspn(line, " \t\r\n");
    return line;
  }
  return NULL;
}

static int is(const char *value, size_t count, const char *word) { return count == strlen(word) && strncasecmp(value, word, count) == 0; }

int frp_decoder_make(frp_http *http) {
  size_t count = 0;
  const char *value = header(http, "content-encoding", &count);
  if (!value || count == 0 || is(value, count, "identity")) return 1;
  int is_gzip = is(value, count, "gzip") || is(value, count, "x-gzip");
  if (!is_gzip && !is(value, count, "deflate")) return 0;
  http->decoder = calloc(1, sizeof *http->decoder);
  if (!http->decoder) return 0;
  http->decoder->is_gzip = (unsigned)is_gzip;
  return 1;
}

/// What is called `deflate` has zlib's two bytes before it, or, of some servers, nothing.
static int begin(struct frp_decoder *decoder, uint8_t first) {
  int is_bare = !decoder->is_gzip && ((first & 15) != Z_DEFLATED || first >> 4 > 7);
  decoder->has_begun = inflateInit2(&decoder->stream, is_bare ? -MAX_WBITS : GZIP_OR_ZLIB) == Z_OK;
  return decoder->has_begun;
}

/// Fills the block; whether that is well.
static int fill(struct frp_decoder *decoder, const uint8_t *bytes, size_t count) {
  z_stream *stream = &decoder->stream;
  stream->next_in = (uint8_t *)bytes + decoder->taken;
  stream->avail_in = (uInt)(count - decoder->taken);
  stream->next_out = decoder->block;
  stream->avail_out = BLOCK;
  int result = inflate(stream, Z_NO_FLUSH);
  decoder->taken = count - stream->avail_in;
  decoder->from = 0;
  decoder->to = BLOCK - stream->avail_out;
  if (result == Z_STREAM_END) decoder->has_ended = 1;
  return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

frp_decoded frp_decoder_take(frp_http *http, const uint8_t *bytes, size_t count, int (*give)(frp_http *, const uint8_t *, size_t)) {
  struct frp_decoder *decoder = http->decoder;
  if (!decoder->has_begun && (count == 0 || !begin(decoder, bytes[0]))) return count == 0 ? FRP_DECODED : FRP_DECODED_BADLY;
  while (1) {
    if (decoder->from < decoder->to) {
      int is_given = give(http, decoder->block + decoder->from, decoder->to - decoder->from);
      if (is_given != FRP_DECODED) return (frp_decoded)is_given;
    }
    int was_full = decoder->to == BLOCK;
    decoder->from = decoder->to = 0;
    if (decoder->has_ended) {
      // Several files of gzip one after the other are one; anything else behind the end is passed over.
      if (!decoder->is_gzip || decoder->taken == count || bytes[decoder->taken] != 0x1f) break;
      if (inflateReset(&decoder->stream) != Z_OK) return FRP_DECODED_BADLY;
      decoder->has_ended = 0;
    } else if (decoder->taken == count && !was_full) {
      break;
    }
    if (!fill(decoder, bytes, count)) return FRP_DECODED_BADLY;
  }
  decoder->taken = 0;
  return FRP_DECODED;
}

int frp_decoder_is_cut(const frp_http *http) { return http->decoder && http->decoder->has_begun && !http->decoder->has_ended; }

void frp_decoder_free(frp_http *http) {
  if (http->decoder && http->decoder->has_begun) inflateEnd(&http->decoder->stream);
  free(http->decoder);
  http->decoder = NULL;
}
