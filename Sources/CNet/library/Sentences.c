// What went wrong, as a sentence for whoever runs the program.

#include "Net.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Host and port of the transfer's URL.
static void place(frp_http *http, char *text, size_t capacity) {
  char *url = NULL;
  frp_net_url parts;
  curl_easy_getinfo(http->easy, CURLINFO_EFFECTIVE_URL, &url);
  if (!url || frp_net_parse_url(url, &parts)) {
    snprintf(text, capacity, "the server:");
    return;
  }
  int is_v6 = strchr(parts.host, ':') != NULL;
  snprintf(text, capacity, "%s%s%s:%d", is_v6 ? "[" : "", parts.host, is_v6 ? "]" : "", parts.port);
  frp_net_free_url(&parts);
}

/// The system's words begin as the second part of a sentence does.
static void lower(char *text) {
  if (islower((unsigned char)text[0]) || islower((unsigned char)text[1])) *text = (char)tolower((unsigned char)*text);
}

static void cannot_connect(frp_http *http, const char *where, char *text, size_t capacity) {
  long number = 0;
  curl_easy_getinfo(http->easy, CURLINFO_OS_ERRNO, &number);
  if (http->is_refused && !http->was_tried) {
    snprintf(text, capacity, "not granted: net %s", where);
    return;
  }
  if (!number) number = http->socket_problem;
  char reason[100];
  snprintf(reason, sizeof reason, "%s", number ? strerror((int)number) : "no address answers");
  lower(reason);
  snprintf(text, capacity, "cannot connect to %s: %s", where, reason);
}

static void timed_out(frp_http *http, const char *where, char *text, size_t capacity) {
  curl_off_t connected = 0;
  curl_easy_getinfo(http->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
  if (connected == 0) {
    snprintf(text, capacity, "cannot connect to %s: no answer in %ld s", where, (http->connect_milliseconds + 999) / 1000);
  } else {
    snprintf(text, capacity, "%s sent nothing for %ld s", where, http->silence_seconds);
  }
}

static void cut_short(frp_http *http, char *text, size_t capacity) {
  curl_off_t wanted = -1, received = 0;
  curl_easy_getinfo(http->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &wanted);
  curl_easy_getinfo(http->easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
  if (wanted >= 0) {
    snprintf(text, capacity, "the answer was cut short after %lld of %lld bytes", (long long)received, (long long)wanted);
  } else {
    snprintf(text, capacity, "the answer was cut short after %lld bytes", (long long)received);
  }
}

/// Why a certificate is not believed, and, where nobody here knows who has signed it, how to trust them.
void frp_net_untrusted(const char *where, const char *problem, char *text, size_t capacity) {
  int is_unknown = strstr(problem, "issuer") || strstr(problem, "self-signed") || strstr(problem, "self signed");
  const char *way = is_unknown ? " (SSL_CERT_FILE=FILE says which authorities are trusted)" : "";
  snprintf(text, capacity, "TLS with %s: %s%s", where, problem, way);
}

/// "SSL certificate problem: certificate has expired", and what else OpenSSL and libcurl say.
static void tls(frp_http *http, const char *where, char *text, size_t capacity) {
  const char *said = http->error, *problem = strstr(said, "certificate problem: ");
  if (strstr(said, "subject name") || strstr(said, "certificate subject")) {
    snprintf(text, capacity, "TLS: the certificate is not for %s", where);
  } else if (problem) {
    frp_net_untrusted(where, problem + strlen("certificate problem: "), text, capacity);
  } else {
    snprintf(text, capacity, "TLS with %s: %s", where, *said ? said : "the handshake failed");
  }
}

static void other(frp_http *http, CURLcode code, const char *where, char *text, size_t capacity) {
  char said[CURL_ERROR_SIZE];
  snprintf(said, sizeof said, "%s", *http->error ? http->error : curl_easy_strerror(code));
  lower(said);
  snprintf(text, capacity, "%s: %s", where, said);
}

void frp_net_sentence(frp_http *http, CURLcode code, char *text, size_t capacity) {
  char where[300];
  place(http, where, sizeof where);
  if (http->is_body_too_long) {
    snprintf(text, capacity, "the answer is larger than %zu bytes", http->body_limit);
    return;
  }
  if (http->is_head_too_long) {
    snprintf(text, capacity, "the headers of the answer are larger than %zu bytes", http->head_limit);
    return;
  }
  if (http->has_two_lengths) {
    snprintf(text, capacity, "%s says two lengths of its answer", where);
    return;
  }
  if (http->is_head_cut) {
    snprintf(text, capacity, "the answer was cut short in its headers");
    return;
  }
  if (http->is_code_cut) {
    snprintf(text, capacity, "the answer was cut short: what is compressed does not end");
    return;
  }
  if (http->is_badly_coded) {
    snprintf(text, capacity, "the answer of %s is not compressed as it says", where);
    return;
  }
  switch (code) {
    case CURLE_URL_MALFORMAT: snprintf(text, capacity, "not a URL"); return;
    case CURLE_COULDNT_RESOLVE_HOST: snprintf(text, capacity, "cannot find the host %.*s", (int)(strrchr(where, ':') - where), where); return;
    case CURLE_COULDNT_CONNECT: cannot_connect(http, where, text, capacity); return;
    case CURLE_OPERATION_TIMEDOUT: timed_out(http, where, text, capacity); return;
    case CURLE_PARTIAL_FILE: cut_short(http, text, capacity); return;
    // libcurl's own limit of one header is told as a lack of memory.
    case CURLE_OUT_OF_MEMORY:
      if (http->is_head_whole) { other(http, code, where, text, capacity); return; }
      snprintf(text, capacity, "a header of the answer is too long");
      return;
    // What is not safe to be repeated cannot be read again (`set_method`).
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_GOT_NOTHING: snprintf(text, capacity, "%s closed the connection without an answer", where); return;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION: tls(http, where, text, capacity); return;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY: snprintf(text, capacity, "what %s answers is not HTTP", where); return;
    default: other(http, code, where, text, capacity);
  }
}
