// The multi handle of libcurl on a loop that belongs to the caller.

#include "Net.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/// Connections in all, and to one host. What is asked for beyond them waits its turn.
enum { CONNECTIONS = 1024, CONNECTIONS_TO_HOST = 256, IDLE_CONNECTIONS = 256 };

static int has_room(frp_net *net, int descriptor) {
  if (descriptor < net->descriptors) return 1;
  size_t wanted = (size_t)descriptor + 64, present = (size_t)net->descriptors;
  uint8_t *notes = realloc(net->is_connection, wanted);
  if (notes) net->is_connection = notes;
  frp_mqtt **owners = realloc(net->owners, wanted * sizeof *owners);
  if (owners) net->owners = owners;
  if (!notes || !owners) return 0;
  memset(notes + present, 0, wanted - present);
  memset(owners + present, 0, (wanted - present) * sizeof *owners);
  net->descriptors = (int)wanted;
  return 1;
}

void frp_net_note(frp_net *net, int descriptor, int is_connection) {
  if (has_room(net, descriptor)) net->is_connection[descriptor] = (uint8_t)is_connection;
}

void frp_net_own(frp_net *net, int descriptor, frp_mqtt *owner) {
  if (descriptor >= 0 && has_room(net, descriptor)) net->owners[descriptor] = owner;
}

static int events_of(int what) {
  switch (what) {
    case CURL_POLL_IN: return FRP_NET_READ;
    case CURL_POLL_OUT: return FRP_NET_WRITE;
    case CURL_POLL_INOUT: return FRP_NET_READ | FRP_NET_WRITE;
    default: return 0;
  }
}

/// What is no connection (libcurl wakes itself by sockets of its own when a name has been found) is closed without a word.
static int on_socket(CURL *easy, curl_socket_t descriptor, int what, void *context, void *unused) {
  (void)easy, (void)unused;
  frp_net *net = context;
  int is_connection = descriptor < net->descriptors && net->is_connection[descriptor];
  int events = events_of(what);
  net->host.watch(net->host.context, descriptor, events == 0 && !is_connection ? -1 : events);
  return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *context) {
  (void)multi;
  frp_net *net = context;
  net->host.set_timer(net->host.context, milliseconds);
  return 0;
}

static void multi_options(frp_net *net) {
  curl_multi_setopt(net->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(net->multi, CURLMOPT_SOCKETDATA, net);
  curl_multi_setopt(net->multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(net->multi, CURLMOPT_TIMERDATA, net);
  curl_multi_setopt(net->multi, CURLMOPT_MAXCONNECTS, (long)IDLE_CONNECTIONS);
  curl_multi_setopt(net->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)CONNECTIONS);
  curl_multi_setopt(net->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)CONNECTIONS_TO_HOST);
}

static frp_net *net_open(const frp_net_host *host) {
  // A connection that breaks while something is written is an error of that call, not the end of the process.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  frp_net *net = calloc(1, sizeof *net);
  if (!net || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(net->multi = curl_multi_init())) {
    free(net);
    return NULL;
  }
  net->host = *host;
  multi_options(net);
  return net;
}

static void net_close(frp_net *net) {
  while (net->transfers) {
    net->transfers->is_cancelled = 1;
    frp_net_end(net->transfers);
  }
  while (net->spare_count > 0) curl_easy_cleanup(net->spare[--net->spare_count]);
  curl_multi_cleanup(net->multi);
  free(net->is_connection);
  free(net->owners);
  free(net);
}

static void act(frp_net *net, curl_socket_t descriptor, int events) {
  int running;
  net->depth++;
  curl_multi_socket_action(net->multi, descriptor, events, &running);
  net->depth--;
  frp_net_collect(net);
}

static void net_ready(frp_net *net, int descriptor, int events) {
  if (descriptor < net->descriptors && net->owners[descriptor]) {
    frp_mqtt_ready(net->owners[descriptor], events);
    return;
  }
  act(net, descriptor, (events & FRP_NET_READ ? CURL_CSELECT_IN : 0) | (events & FRP_NET_WRITE ? CURL_CSELECT_OUT : 0));
}

static void net_due(frp_net *net) { act(net, CURL_SOCKET_TIMEOUT, 0); }

const frp_net_functions *frp_net_table(void) {
  static const frp_net_functions table = {
      .version = FRP_NET_VERSION,
      .open = net_open,
      .close = net_close,
      .ready = net_ready,
      .due = net_due,
      .parse_url = frp_net_parse_url,
      .free_url = frp_net_free_url,
      .http_begin = frp_http_begin,
      .http_pause = frp_http_pause,
      .http_cancel = frp_http_cancel,
      .link_open = frp_link_open,
      .link_send = frp_link_send,
      .link_receive = frp_link_receive,
      .link_close = frp_link_close,
      .mqtt_open = frp_mqtt_open,
      .mqtt_subscribe = frp_mqtt_subscribe,
      .mqtt_unsubscribe = frp_mqtt_unsubscribe,
      .mqtt_publish = frp_mqtt_publish,
      .mqtt_pause = frp_mqtt_pause,
      .mqtt_tick = frp_mqtt_tick,
      .mqtt_close = frp_mqtt_close,
  };
  return &table;
}
