// What libfrp-net offers: HTTP, connections with TLS, and MQTT, by libcurl and libmosquitto, on a loop that belongs to the
// caller. The program loads the library when a program of the language names the network, and asks for `frp_net_table`.
//
// Rules
// - Every function is called on one thread, the loop's, and every callback is called on it.
// - `watch`, `set_timer`, `permits`, `began` and `chunk` may call `http_cancel` at most; the others any but `close`.
// - Texts and bytes given to a callback last until it returns; those given to a function are copied.
// - What is begun ends once, by its last callback, or is cancelled: then nothing is called any more.

#ifndef FRP_NET_H
#define FRP_NET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#ifdef __clang__
// Only where Swift would have to unwrap it, a pointer says whether it may be NULL.
#pragma clang diagnostic ignored "-Wnullability-completeness"
#else
#define _Nonnull
#endif

enum { FRP_NET_READ = 1, FRP_NET_WRITE = 2 };

/// What the loop does for the library.
typedef struct frp_net_host {
  void *context;
  /// Calls `ready` whenever the descriptor is ready for one of these (FRP_NET_…). 0: at present it need not; -1: it is of no
  /// interest any more, and may be closed.
  void (*watch)(void *_Nonnull context, int descriptor, int events);
  /// Calls `due` once after so many milliseconds, and forgets what was asked before; -1: does not call it.
  void (*set_timer)(void *_Nonnull context, int64_t milliseconds);
} frp_net_host;

typedef struct frp_net frp_net;

/// A URL as libcurl reads it, so that what is granted is what is connected to.
typedef struct frp_net_url {
  char scheme[16];
  /// In lower case, IPv6 without brackets, numbers in any notation as dotted decimals.
  char host[256];
  int port;
  /// Path and query, as it is sent.
  char *target;
  /// Empty where the URL has none; decoded.
  char *user, *password;
} frp_net_url;

/// Whether a socket may be connected to this address.
typedef int (*frp_net_permits)(void *_Nonnull user, const struct sockaddr *_Nonnull address);

typedef struct frp_http_answer {
  /// A sentence, or NULL where an answer came.
  const char *error;
  /// It is that `permits` has refused every address.
  int is_refused;
  int status;
  /// As they came, a line each, of the last answer alone.
  const char *headers;
  size_t headers_count;
  const uint8_t *body;
  size_t body_count;
  /// Where the answer redirects to, as an absolute URL; or NULL.
  const char *redirect;
} frp_http_answer;

typedef struct frp_http_request {
  const char *method, *url;
  /// "Name: value", `headers_count` of them.
  const char *const *headers;
  size_t headers_count;
  const uint8_t *body;
  size_t body_count;
  int has_body;
  /// Bytes of body, after decompression, that are taken; of headers at most `header_limit`.
  size_t body_limit, header_limit;
  int64_t connect_milliseconds;
  /// No byte for so long is an error; 0: any silence is borne.
  int64_t silence_seconds;
  /// A file of certificates that are trusted in place of the system's; or NULL.
  const char *authorities;
  void *user;
  frp_net_permits permits;
  /// Where `chunk` is given the body is not collected. `began` tells of the head; not 0 of `chunk`: the bytes are given again after
  /// `http_pause(…, 0)`.
  void (*began)(void *_Nonnull user, int status, const char *content_type);
  int (*chunk)(void *_Nonnull user, const uint8_t *bytes, size_t count);
  void (*done)(void *_Nonnull user, const frp_http_answer *_Nonnull answer);
} frp_http_request;

typedef struct frp_http frp_http;

typedef struct frp_link_request {
  /// http: or https:; only scheme, host and port count.
  const char *url, *authorities;
  int64_t connect_milliseconds;
  void *user;
  frp_net_permits permits;
  /// NULL: the connection is there, TLS included, and from then on the caller watches its descriptor. Empty: `permits` has
  /// refused every address.
  void (*opened)(void *_Nonnull user, const char *error, int descriptor);
} frp_link_request;

/// A connection, with TLS where its URL says so.
typedef struct frp_link frp_link;

enum { FRP_LINK_AGAIN = -1, FRP_LINK_BROKEN = -2 };

typedef struct frp_mqtt_request {
  /// `client`: a name of the client, or NULL for one that nobody else has. No user: NULL.
  const char *host, *client, *user, *password, *authorities;
  int port, has_tls, keep_alive_seconds;
  void *context;
  frp_net_permits permits;
  /// The broker has taken us.
  void (*opened)(void *_Nonnull context);
  void (*message)(void *_Nonnull context, const char *_Nonnull topic, const uint8_t *bytes, size_t count);
  /// A publication or subscription has been acknowledged, or the subscription refused.
  void (*acknowledged)(void *_Nonnull context, int number, int is_refused);
  /// It did not come about, or is gone; nothing is called after it, and nothing may be. Empty: `permits` has refused every
  /// address.
  void (*ended)(void *_Nonnull context, const char *_Nonnull error);
} frp_mqtt_request;

typedef struct frp_mqtt frp_mqtt;

typedef struct frp_net_functions {
  int version;

  frp_net *(*open)(const frp_net_host *host);
  /// What is under way is cancelled.
  void (*close)(frp_net *net);
  void (*ready)(frp_net *net, int descriptor, int events);
  void (*due)(frp_net *net);

  /// A sentence where the text is no URL; `free_url` gives back what it holds.
  const char *(*parse_url)(const char *text, frp_net_url *url);
  void (*free_url)(frp_net_url *url);

  frp_http *(*http_begin)(frp_net *net, const frp_http_request *request);
  void (*http_pause)(frp_http *http, int is_paused);
  void (*http_cancel)(frp_http *http);

  frp_link *(*link_open)(frp_net *net, const frp_link_request *request);
  /// Bytes that were taken or given, 0 at the end of what comes, FRP_LINK_….
  long (*link_send)(frp_link *link, const uint8_t *bytes, size_t count);
  long (*link_receive)(frp_link *link, uint8_t *bytes, size_t capacity);
  /// Closes it where it is open, or being opened.
  void (*link_close)(frp_link *link);

  frp_mqtt *(*mqtt_open)(frp_net *net, const frp_mqtt_request *request);
  /// Its number, or a negative one where it cannot be sent. QoS 1.
  int (*mqtt_subscribe)(frp_mqtt *mqtt, const char *topic);
  int (*mqtt_unsubscribe)(frp_mqtt *mqtt, const char *topic);
  int (*mqtt_publish)(frp_mqtt *mqtt, const char *topic, const uint8_t *bytes, size_t count);
  /// Nothing more is read until it may be again.
  void (*mqtt_pause)(frp_mqtt *mqtt, int is_paused);
  /// Once a second.
  void (*mqtt_tick)(frp_mqtt *mqtt);
  void (*mqtt_close)(frp_mqtt *mqtt);
} frp_net_functions;

/// What the caller of `frp_net_table` expects; a library of another version is refused. Who changes the meaning of a function, and
/// the size of nothing, changes the first number.
#define FRP_NET_VERSION                                                                                           \
  ((int)(1000000 + sizeof(frp_http_request) + 37 * sizeof(frp_http_answer) + 41 * sizeof(frp_link_request) + \
         43 * sizeof(frp_net_url) + 47 * sizeof(frp_net_functions) + 53 * sizeof(frp_mqtt_request)))

/// The one symbol of the library.
__attribute__((visibility("default"))) const frp_net_functions *frp_net_table(void);

#endif
