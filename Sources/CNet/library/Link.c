// A connection, with TLS where its URL says so, made by libcurl and then read and written by the caller.

#include "Net.h"

#include <stdio.h>
#include <stdlib.h>

// It is a transfer that ends when the connection is there, and stays in the multi handle, which holds the connection.

frp_link *frp_link_open(frp_net *net, const frp_link_request *request) {
  frp_http *http = calloc(1, sizeof *http);
  if (!http) return NULL;
  *http = (frp_http){.net = net, .permits = request->permits, .opened = request->opened, .user = request->user,
                     .connect_milliseconds = request->connect_milliseconds};
  if (!(http->easy = frp_net_easy(http, request->url, request->authorities))) {
    free(http);
    return NULL;
  }
  curl_easy_setopt(http->easy, CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(http->easy, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(http->easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  frp_net_begin(http);
  return (frp_link *)http;
}

void frp_link_opened(frp_http *http, CURLcode code) {
  frp_net *net = http->net;
  if (http->is_cancelled) {
    frp_net_end(http);
    return;
  }
  if (code != CURLE_OK) {
    char sentence[CURL_ERROR_SIZE + 400];
    frp_net_sentence(http, code, sentence, sizeof sentence);
    if (http->is_refused && !http->was_tried) *sentence = 0;
    net->depth++;
    http->opened(http->user, sentence, -1);
    net->depth--;
    frp_net_end(http);
    return;
  }
  curl_socket_t descriptor = -1;
  curl_easy_getinfo(http->easy, CURLINFO_ACTIVESOCKET, &descriptor);
  // From here on it is the caller's to watch.
  net->host.watch(net->host.context, descriptor, -1);
  net->depth++;
  http->opened(http->user, NULL, descriptor);
  net->depth--;
}

static long result_of(CURLcode code, size_t count) {
  return code == CURLE_OK ? (long)count : code == CURLE_AGAIN ? FRP_LINK_AGAIN : FRP_LINK_BROKEN;
}

long frp_link_send(frp_link *link, const uint8_t *bytes, size_t count) {
  size_t taken = 0;
  CURLcode code = curl_easy_send(((frp_http *)link)->easy, bytes, count, &taken);
  return result_of(code, taken);
}

long frp_link_receive(frp_link *link, uint8_t *bytes, size_t capacity) {
  size_t given = 0;
  CURLcode code = curl_easy_recv(((frp_http *)link)->easy, bytes, capacity, &given);
  return result_of(code, given);
}

void frp_link_close(frp_link *link) { frp_http_cancel((frp_http *)link); }

void frp_link_address(frp_link *link, char *text, size_t capacity) {
  char *address = NULL;
  curl_easy_getinfo(((frp_http *)link)->easy, CURLINFO_PRIMARY_IP, &address);
  snprintf(text, capacity, "%s", address ? address : "");
}
