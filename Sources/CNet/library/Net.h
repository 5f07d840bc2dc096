// What the files of libfrp-net share.

#ifndef FRP_NET_PRIVATE_H
#define FRP_NET_PRIVATE_H

#include <curl/curl.h>

#include "frp_net.h"

/// Transfers that are over keep their handle for the next, up to so many.
enum { SPARE = 256 };

struct frp_net {
  frp_net_host host;
  CURLM *multi;
  /// What is under way, so that `close` finds it.
  frp_http *transfers;
  CURL *spare[SPARE];
  int spare_count;
  /// Calls of libcurl that are under way: transfers may only be freed outside of them.
  int depth;
  int has_cancelled;
  /// By descriptor: whether it is a connection of libcurl, and whose it is else.
  uint8_t *is_connection;
  frp_mqtt **owners;
  int descriptors;
};

/// A transfer, or a connection that is a transfer without end.
struct frp_http {
  frp_net *net;
  CURL *easy;
  frp_http *previous, *next;
  struct curl_slist *headers;
  frp_net_permits permits;
  void (*began)(void *user, int status, const char *content_type);
  int (*chunk)(void *user, const uint8_t *bytes, size_t count);
  void (*done)(void *user, const frp_http_answer *answer);
  void (*opened)(void *user, const char *error, int descriptor);
  void *user;
  uint8_t *sent, *body;
  size_t body_count, body_capacity, body_limit;
  /// Bytes of what is sent, and those of them that libcurl has read.
  size_t sent_count, read_count;
  char *head;
  size_t head_count, head_capacity, head_limit;
  /// Where the value of Content-Length stands in the head; 0 without one.
  size_t length_place;
  long connect_milliseconds, silence_seconds;
  /// Why the system gave no socket; 0 where it did.
  int socket_problem;
  unsigned is_head_told : 1, is_head_whole : 1, is_head_cut : 1, is_body_too_long : 1, is_head_too_long : 1, has_two_lengths : 1, is_refused : 1, was_tried : 1, is_cancelled : 1, has_authorities : 1, is_badly_coded : 1, is_code_cut : 1;
  /// Of a body that is compressed.
  struct frp_decoder *decoder;
  /// What libcurl said, where it said more than a number.
  char error[CURL_ERROR_SIZE];
};

CURL *frp_net_easy(frp_http *http, const char *url, const char *authorities);
/// Whether a descriptor is a connection, of which the loop is told before it is closed.
void frp_net_note(frp_net *net, int descriptor, int is_connection);
void frp_net_begin(frp_http *http);
void frp_net_end(frp_http *http);
/// Tells of the ends that came, outside of calls of libcurl.
void frp_net_collect(frp_net *net);
void frp_link_opened(frp_http *http, CURLcode code);

frp_http *frp_http_begin(frp_net *net, const frp_http_request *request);
void frp_http_pause(frp_http *http, int is_paused);
void frp_http_cancel(frp_http *http);

/// What became of bytes of a compressed body.
typedef enum { FRP_DECODED, FRP_DECODED_LATER, FRP_DECODED_BADLY, FRP_DECODED_TOO_MUCH } frp_decoded;

/// Makes what takes a body apart, if the head says that it is compressed; 0 where it cannot be.
int frp_decoder_make(frp_http *http);
/// Gives on what bytes come to. FRP_DECODED_LATER, which is what `give` has said: the same bytes are to be given again.
frp_decoded frp_decoder_take(frp_http *http, const uint8_t *bytes, size_t count, int (*give)(frp_http *, const uint8_t *, size_t));
/// Whether a body that has ended was not whole.
int frp_decoder_is_cut(const frp_http *http);
void frp_decoder_free(frp_http *http);

/// Why a transfer failed, in the words of a sentence without its stop. `text` has room for `capacity` bytes.
void frp_net_sentence(frp_http *http, CURLcode code, char *text, size_t capacity);

void frp_net_untrusted(const char *where, const char *problem, char *text, size_t capacity);

const char *frp_net_parse_url(const char *text, frp_net_url *url);
void frp_net_free_url(frp_net_url *url);

frp_link *frp_link_open(frp_net *net, const frp_link_request *request);
long frp_link_send(frp_link *link, const uint8_t *bytes, size_t count);
long frp_link_receive(frp_link *link, uint8_t *bytes, size_t capacity);
void frp_link_close(frp_link *link);

/// The address that it is connected to.
void frp_link_address(frp_link *link, char *text, size_t capacity);

/// Whom a descriptor is told to be ready; NULL: libcurl.
void frp_net_own(frp_net *net, int descriptor, frp_mqtt *owner);

frp_mqtt *frp_mqtt_open(frp_net *net, const frp_mqtt_request *request);
int frp_mqtt_subscribe(frp_mqtt *mqtt, const char *topic);
int frp_mqtt_unsubscribe(frp_mqtt *mqtt, const char *topic);
int frp_mqtt_publish(frp_mqtt *mqtt, const char *topic, const uint8_t *bytes, size_t count);
void frp_mqtt_pause(frp_mqtt *mqtt, int is_paused);
void frp_mqtt_tick(frp_mqtt *mqtt);
void frp_mqtt_close(frp_mqtt *mqtt);
void frp_mqtt_ready(frp_mqtt *mqtt, int events);

#endif
