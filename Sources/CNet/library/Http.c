// A request and its answer: one transfer of libcurl.

#include "Net.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// MARK: What libcurl calls

/// The one place where sockets of transfers are made: what is not granted is not even asked of the system.
static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  frp_http *http = context;
  if (purpose != CURLSOCKTYPE_IPCXN || !http->permits(http->user, &address->addr)) {
    http->is_refused = 1;
    return CURL_SOCKET_BAD;
  }
  http->was_tried = 1;
  int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (descriptor >= 0) {
    frp_net_note(http->net, descriptor, 1);
  } else {
    http->socket_problem = errno;
  }
  return descriptor;
}

/// The transfer of this descriptor may be over long since.
static int on_close(void *context, curl_socket_t descriptor) {
  frp_net *net = context;
  net->host.watch(net->host.context, descriptor, -1);
  frp_net_note(net, descriptor, 0);
  return close(descriptor);
}

static int append(const void *bytes, size_t count, uint8_t **buffer, size_t *length, size_t *capacity) {
  if (*length + count + 1 > *capacity) {
    size_t wanted = 2 * *capacity;
    if (wanted < *length + count + 1) wanted = *length + count + 1;
    uint8_t *larger = realloc(*buffer, wanted);
    if (!larger) return 0;
    *buffer = larger;
    *capacity = wanted;
  }
  memcpy(*buffer + *length, bytes, count);
  *length += count;
  (*buffer)[*length] = 0;
  return 1;
}

static long status_of(frp_http *http) {
  long status = 0;
  curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/// Whether a header says another length of the body than one before: two servers would end the answer at two places.
static int says_another_length(frp_http *http, size_t from, size_t count) {
  static const char name[] = "content-length:";
  const char *line = http->head + from;
  size_t at = sizeof name - 1;
  if (count <= at || strncasecmp(line, name, at) != 0) return 0;
  while (line[at] == ' ' || line[at] == '\t') at++;
  if (http->length_place == 0) {
    http->length_place = from + at;
    return 0;
  }
  const char *former = http->head + http->length_place;
  return strspn(former, "0123456789") != strspn(line + at, "0123456789") || strncmp(former, line + at, strspn(former, "0123456789")) != 0;
}

static size_t on_header(char *bytes, size_t size, size_t number, void *context) {
  frp_http *http = context;
  size_t count = size * number;
  // An answer begins; what an interim one said (100, 103) is forgotten.
  if (count > 5 && memcmp(bytes, "HTTP/", 5) == 0) http->head_count = http->length_place = http->is_head_whole = 0;
  if (http->head_count + count > http->head_limit ||
      !append(bytes, count, (uint8_t **)&http->head, &http->head_count, &http->head_capacity)) {
    http->is_head_too_long = 1;
    return 0;
  }
  if (says_another_length(http, http->head_count - count, count)) {
    http->has_two_lengths = 1;
    return 0;
  }
  int is_end = count <= 2 && (*bytes == '\r' || *bytes == '\n');
  if (is_end) http->is_head_whole = 1;
  if (is_end && status_of(http) >= 200) {
    frp_decoder_free(http);
    if (!frp_decoder_make(http)) {
      http->is_badly_coded = 1;
      return 0;
    }
  }
  if (is_end && http->chunk && !http->is_head_told && status_of(http) >= 200) {
    char *type = NULL;
    http->is_head_told = 1;
    curl_easy_getinfo(http->easy, CURLINFO_CONTENT_TYPE, &type);
    http->began(http->user, (int)status_of(http), type ? type : "");
  }
  return count;
}

/// A part of the body as it is meant.
static int give(frp_http *http, const uint8_t *bytes, size_t count) {
  if (http->is_cancelled) return FRP_DECODED_TOO_MUCH;
  if (http->chunk) return http->chunk(http->user, bytes, count) ? FRP_DECODED_LATER : FRP_DECODED;
  if (count > http->body_limit - http->body_count ||
      !append(bytes, count, &http->body, &http->body_count, &http->body_capacity)) {
    http->is_body_too_long = 1;
    return FRP_DECODED_TOO_MUCH;
  }
  return FRP_DECODED;
}

static size_t on_body(char *bytes, size_t size, size_t number, void *context) {
  frp_http *http = context;
  size_t count = size * number;
  if (http->is_cancelled) return 0;
  int result = http->decoder ? (int)frp_decoder_take(http, (uint8_t *)bytes, count, give) : give(http, (uint8_t *)bytes, count);
  if (result == FRP_DECODED_BADLY) http->is_badly_coded = 1;
  return result == FRP_DECODED ? count : result == FRP_DECODED_LATER ? CURL_WRITEFUNC_PAUSE : 0;
}

// MARK: Options

/// Whom certificates are believed from: a file, or that of OpenSSL's own variable, or the system's.
static void trust(CURL *easy, const char *authorities) {
  const char *file = authorities ? authorities : getenv("SSL_CERT_FILE");
  curl_easy_setopt(easy, CURLOPT_CAINFO, file && *file ? file : curl_version_info(CURLVERSION_NOW)->cainfo);
}

/// What is the same for all transfers of a handle.
static CURL *fresh(frp_net *net) {
  CURL *easy = curl_easy_init();
  if (!easy) return NULL;
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  // A proxy would be connected to in place of what is granted.
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "frp");
  // What a body is compressed with is said to the server, and undone here.
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "deflate, gzip");
  curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, net);
  trust(easy, NULL);
  return easy;
}

CURL *frp_net_easy(frp_http *http, const char *url, const char *authorities) {
  frp_net *net = http->net;
  CURL *easy = net->spare_count > 0 ? net->spare[--net->spare_count] : fresh(net);
  if (!easy) return NULL;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, http);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, http);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, http);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, http);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, http->error);
  curl_easy_setopt(easy, CURLOPT_URL, url);
  if (authorities) trust(easy, authorities);
  http->has_authorities = authorities != NULL;
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, http->connect_milliseconds);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, http->silence_seconds > 0 ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, http->silence_seconds);
  return easy;
}

/// The next bytes of a body that can be read once only.
static size_t on_read(char *bytes, size_t size, size_t number, void *context) {
  frp_http *http = context;
  size_t count = http->sent_count - http->read_count, room = size * number;
  if (count > room) count = room;
  memcpy(bytes, http->sent + http->read_count, count);
  http->read_count += count;
  return count;
}

/// Whether asking twice does no more than asking once (RFC 9110).
static int is_safe(const char *method) {
  static const char *const safe[] = {"GET", "HEAD", "OPTIONS", "TRACE"};
  for (size_t i = 0; i < sizeof safe / sizeof *safe; i++) {
    if (strcmp(method, safe[i]) == 0) return 1;
  }
  return 0;
}

/// libcurl repeats a request when a connection that was used before ends without an answer, and the server may have done by then what was
/// asked. So what is not safe can not be repeated: its body cannot be read again; without one it has a connection of its own.
static void set_method(frp_http *http, const frp_http_request *request) {
  CURL *easy = http->easy;
  curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  int is_get = strcmp(request->method, "GET") == 0, is_head = strcmp(request->method, "HEAD") == 0;
  int is_read_once = !is_safe(request->method) && request->has_body && request->body_count > 0;
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, is_safe(request->method) || is_read_once ? 0L : 1L);
  if (request->has_body) {
    // libcurl reads it while it is sent, so it is kept.
    http->sent = malloc(request->body_count + 1);
    http->sent_count = http->sent ? request->body_count : 0;
    if (http->sent) memcpy(http->sent, request->body, request->body_count);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, is_read_once ? NULL : http->sent);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(easy, CURLOPT_READDATA, http);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_count);
  }
  if (is_head) curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, (is_get && !request->has_body) || is_head ? NULL : request->method);
}

static int has_type(const frp_http_request *request) {
  for (size_t i = 0; i < request->headers_count; i++) {
    if (strncasecmp(request->headers[i], "content-type", 12) == 0 && strchr(":;", request->headers[i][12])) return 1;
  }
  return 0;
}

static void set_headers(frp_http *http, const frp_http_request *request) {
  // The server's leave to send a body is not waited for.
  if (request->has_body) http->headers = curl_slist_append(http->headers, "Expect:");
  // A body without a type has none: libcurl would call it a form.
  if (request->has_body && !has_type(request)) http->headers = curl_slist_append(http->headers, "Content-Type:");
  for (size_t i = 0; i < request->headers_count; i++) http->headers = curl_slist_append(http->headers, request->headers[i]);
  curl_easy_setopt(http->easy, CURLOPT_HTTPHEADER, http->headers);
}

// MARK: Under way

void frp_net_begin(frp_http *http) {
  frp_net *net = http->net;
  http->next = net->transfers;
  if (http->next) http->next->previous = http;
  net->transfers = http;
  curl_multi_add_handle(net->multi, http->easy);
}

frp_http *frp_http_begin(frp_net *net, const frp_http_request *request) {
  frp_http *http = calloc(1, sizeof *http);
  if (!http) return NULL;
  *http = (frp_http){.net = net, .permits = request->permits, .began = request->began, .chunk = request->chunk, .done = request->done,
                     .user = request->user, .body_limit = request->body_limit, .head_limit = request->header_limit,
                     .connect_milliseconds = request->connect_milliseconds, .silence_seconds = request->silence_seconds};
  if (!(http->easy = frp_net_easy(http, request->url, request->authorities))) {
    free(http);
    return NULL;
  }
  set_method(http, request);
  set_headers(http, request);
  frp_net_begin(http);
  return http;
}

/// Takes it out of libcurl and of the list, keeps its handle for another, and frees it.
void frp_net_end(frp_http *http) {
  frp_net *net = http->net;
  curl_multi_remove_handle(net->multi, http->easy);
  if (http->previous) http->previous->next = http->next; else net->transfers = http->next;
  if (http->next) http->next->previous = http->previous;
  if (net->spare_count < SPARE && !http->opened) {
    curl_easy_setopt(http->easy, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(http->easy, CURLOPT_POSTFIELDS, NULL);
    curl_easy_setopt(http->easy, CURLOPT_ERRORBUFFER, NULL);
    if (http->has_authorities) trust(http->easy, NULL);
    net->spare[net->spare_count++] = http->easy;
  } else {
    curl_easy_cleanup(http->easy);
  }
  curl_slist_free_all(http->headers);
  frp_decoder_free(http);
  free(http->head);
  free(http->sent);
  free(http->body);
  free(http);
}

void frp_http_pause(frp_http *http, int is_paused) {
  if (http->is_cancelled) return;
  frp_net *net = http->net;
  net->depth++;
  curl_easy_pause(http->easy, is_paused ? CURLPAUSE_RECV : CURLPAUSE_CONT);
  net->depth--;
  frp_net_collect(net);
}

/// Within a call of libcurl it is only noted.
void frp_http_cancel(frp_http *http) {
  frp_net *net = http->net;
  if (http->is_cancelled) return;
  http->is_cancelled = 1;
  if (net->depth > 0) {
    net->has_cancelled = 1;
  } else {
    frp_net_end(http);
  }
}

// MARK: Ends

static void tell(frp_http *http, CURLcode code) {
  char sentence[CURL_ERROR_SIZE + 400];
  frp_http_answer answer = {0};
  char *redirect = NULL;
  // libcurl takes a head that ends early for a whole one.
  http->is_head_cut = code == CURLE_OK && !http->is_head_whole;
  http->is_code_cut = code == CURLE_OK && frp_decoder_is_cut(http);
  if (code != CURLE_OK || http->is_head_cut || http->is_code_cut) {
    frp_net_sentence(http, code, sentence, sizeof sentence);
    answer.error = sentence;
    answer.is_refused = http->is_refused && !http->was_tried;
  } else {
    curl_easy_getinfo(http->easy, CURLINFO_REDIRECT_URL, &redirect);
    answer.status = (int)status_of(http);
    answer.headers = http->head;
    answer.headers_count = http->head_count;
    answer.body = http->body;
    answer.body_count = http->body_count;
    answer.redirect = redirect;
  }
  http->done(http->user, &answer);
}

static void finish(frp_http *http, CURLcode code) {
  frp_net *net = http->net;
  if (http->opened) {
    frp_link_opened(http, code);
    return;
  }
  net->depth++;
  if (!http->is_cancelled) tell(http, code);
  net->depth--;
  frp_net_end(http);
}

void frp_net_collect(frp_net *net) {
  if (net->depth > 0) return;
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(net->multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    frp_http *http;
    CURLcode code = message->data.result;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&http);
    finish(http, code);
  }
  if (!net->has_cancelled) return;
  net->has_cancelled = 0;
  for (frp_http *http = net->transfers, *next; http; http = next) {
    next = http->next;
    if (http->is_cancelled) frp_net_end(http);
  }
}
