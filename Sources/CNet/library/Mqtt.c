// A connection to an MQTT broker: libmosquitto on the caller's loop.
//
// libmosquitto looks names up in a call that blocks, and has no place where an address could be refused. So a link of
// libcurl, which has both, finds an address that is granted and answers; libmosquitto is given that, and OpenSSL the name.

#include "Net.h"

#include <mosquitto.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Publications that may be under way without an acknowledgement; bytes that one may have.
enum { IN_FLIGHT = 1000, LARGEST = 268435455 };

struct frp_mqtt {
  frp_net *net;
  frp_link *probe;
  struct mosquitto *mosquitto;
  SSL_CTX *tls;
  char *host, *client, *user, *password, *authorities;
  int port, keep_alive_seconds, descriptor, verify_error;
  unsigned has_tls : 1, is_open : 1, is_paused : 1, has_written : 1, is_closed : 1, is_dead : 1;
  int depth;
  char refusal[128];
  void *context;
  frp_net_permits permits;
  void (*opened)(void *context);
  void (*message)(void *context, const char *topic, const uint8_t *bytes, size_t count);
  void (*acknowledged)(void *context, int number, int is_refused);
  void (*ended)(void *context, const char *error);
};

static void give_back(frp_mqtt *mqtt) {
  if (mqtt->mosquitto) mosquitto_destroy(mqtt->mosquitto);
  if (mqtt->tls) SSL_CTX_free(mqtt->tls);
  free(mqtt->host);
  free(mqtt->client);
  free(mqtt->user);
  free(mqtt->password);
  free(mqtt->authorities);
  free(mqtt);
}

/// Frees it, unless somebody is still within it.
static void settle(frp_mqtt *mqtt) {
  if (mqtt->depth == 0 && (mqtt->is_closed || mqtt->is_dead)) give_back(mqtt);
}

static void forget_descriptor(frp_mqtt *mqtt) {
  if (mqtt->descriptor >= 0) mqtt->net->host.watch(mqtt->net->host.context, mqtt->descriptor, -1);
  frp_net_own(mqtt->net, mqtt->descriptor, NULL);
  mqtt->descriptor = -1;
}

static void end(frp_mqtt *mqtt, const char *error) {
  if (mqtt->is_closed || mqtt->is_dead) return;
  mqtt->is_dead = 1;
  forget_descriptor(mqtt);
  mqtt->ended(mqtt->context, error);
}

static void end_with(frp_mqtt *mqtt, int result) {
  char sentence[600];
  const char *host = mqtt->host;
  if (*mqtt->refusal) {
    snprintf(sentence, sizeof sentence, "the broker %s:%d refuses it: %s", host, mqtt->port, mqtt->refusal);
  } else if (mqtt->verify_error == X509_V_ERR_HOSTNAME_MISMATCH || mqtt->verify_error == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    snprintf(sentence, sizeof sentence, "TLS: the certificate is not for %s:%d", host, mqtt->port);
  } else if (mqtt->verify_error) {
    char where[300];
    snprintf(where, sizeof where, "%s:%d", host, mqtt->port);
    frp_net_untrusted(where, X509_verify_cert_error_string(mqtt->verify_error), sentence, sizeof sentence);
  } else if (result == MOSQ_ERR_TLS) {
    snprintf(sentence, sizeof sentence, "TLS with %s:%d: the handshake failed", host, mqtt->port);
  } else if (result == MOSQ_ERR_PROTOCOL || result == MOSQ_ERR_MALFORMED_PACKET) {
    snprintf(sentence, sizeof sentence, "what %s:%d says is not MQTT", host, mqtt->port);
  } else if (result == MOSQ_ERR_KEEPALIVE) {
    snprintf(sentence, sizeof sentence, "the broker %s:%d does not answer any more", host, mqtt->port);
  } else {
    snprintf(sentence, sizeof sentence, "the connection to the broker %s:%d broke", host, mqtt->port);
  }
  end(mqtt, sentence);
}

static void update(frp_mqtt *mqtt) {
  if (mqtt->is_dead || mqtt->is_closed || mqtt->descriptor < 0) return;
  // While TLS shakes hands, libmosquitto wants to write from begin to end, and writes once.
  int writes = mosquitto_want_write(mqtt->mosquitto) && (!mqtt->has_tls || mqtt->is_open || !mqtt->has_written);
  int events = (mqtt->is_paused ? 0 : FRP_NET_READ) | (writes ? FRP_NET_WRITE : 0);
  mqtt->net->host.watch(mqtt->net->host.context, mqtt->descriptor, events);
}

// MARK: What libmosquitto calls

static void on_connect(struct mosquitto *unused, void *context, int code) {
  (void)unused;
  frp_mqtt *mqtt = context;
  if (mqtt->is_closed) return;
  if (code != 0) {
    snprintf(mqtt->refusal, sizeof mqtt->refusal, "%s", mosquitto_connack_string(code));
    char *prefix = strstr(mqtt->refusal, "Connection Refused: ");
    if (prefix) memmove(mqtt->refusal, prefix + 20, strlen(prefix + 20) + 1);
    size_t count = strlen(mqtt->refusal);
    if (count > 0 && mqtt->refusal[count - 1] == '.') mqtt->refusal[count - 1] = 0;
    return;
  }
  mqtt->is_open = 1;
  mqtt->opened(mqtt->context);
}

static void on_message(struct mosquitto *unused, void *context, const struct mosquitto_message *message) {
  (void)unused;
  frp_mqtt *mqtt = context;
  if (!mqtt->is_closed) mqtt->message(mqtt->context, message->topic, message->payload, (size_t)message->payloadlen);
}

static void on_publish(struct mosquitto *unused, void *context, int number) {
  (void)unused;
  frp_mqtt *mqtt = context;
  if (!mqtt->is_closed) mqtt->acknowledged(mqtt->context, number, 0);
}

static void on_subscribe(struct mosquitto *unused, void *context, int number, int count, const int *granted) {
  (void)unused;
  frp_mqtt *mqtt = context;
  if (!mqtt->is_closed) mqtt->acknowledged(mqtt->context, number, count > 0 && granted[0] > 2);
}

// MARK: TLS

static int on_verify(int is_well, X509_STORE_CTX *store) {
  SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
  frp_mqtt *mqtt = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
  if (!is_well && !mqtt->verify_error) mqtt->verify_error = X509_STORE_CTX_get_error(store);
  return is_well;
}

/// The name is told to the server, of whom libmosquitto knows the address alone.
static void on_info(const SSL *ssl, int where, int unused) {
  (void)unused;
  frp_mqtt *mqtt = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
  if (where == SSL_CB_HANDSHAKE_START) SSL_set_tlsext_host_name((SSL *)ssl, mqtt->host);
}

static int set_tls(frp_mqtt *mqtt) {
  mqtt->tls = SSL_CTX_new(TLS_client_method());
  if (!mqtt->tls) return 0;
  const char *file = mqtt->authorities ? mqtt->authorities : getenv("SSL_CERT_FILE");
  int is_loaded = file && *file ? SSL_CTX_load_verify_file(mqtt->tls, file) : SSL_CTX_set_default_verify_paths(mqtt->tls);
  if (!is_loaded) return 0;
  SSL_CTX_set_min_proto_version(mqtt->tls, TLS1_2_VERSION);
  SSL_CTX_set_app_data(mqtt->tls, mqtt);
  SSL_CTX_set_verify(mqtt->tls, SSL_VERIFY_PEER, on_verify);
  SSL_CTX_set_info_callback(mqtt->tls, on_info);
  SSL_CTX_set_mode(mqtt->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(mqtt->tls);
  if (!X509_VERIFY_PARAM_set1_ip_asc(parameters, mqtt->host)) X509_VERIFY_PARAM_set1_host(parameters, mqtt->host, 0);
  mosquitto_void_option(mqtt->mosquitto, MOSQ_OPT_SSL_CTX, mqtt->tls);
  mosquitto_int_option(mqtt->mosquitto, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0);
  // OpenSSL has compared the name; libmosquitto would look for the address in the certificate.
  mosquitto_tls_insecure_set(mqtt->mosquitto, true);
  return 1;
}

// MARK: Begin

static int make(frp_mqtt *mqtt) {
  struct mosquitto *mosquitto = mosquitto_new(mqtt->client, true, mqtt);
  if (!mosquitto) return 0;
  mqtt->mosquitto = mosquitto;
  mosquitto_connect_callback_set(mosquitto, on_connect);
  mosquitto_message_callback_set(mosquitto, on_message);
  mosquitto_publish_callback_set(mosquitto, on_publish);
  mosquitto_subscribe_callback_set(mosquitto, on_subscribe);
  mosquitto_max_inflight_messages_set(mosquitto, IN_FLIGHT);
  mosquitto_int_option(mosquitto, MOSQ_OPT_TCP_NODELAY, 1);
  if (mqtt->user) mosquitto_username_pw_set(mosquitto, mqtt->user, mqtt->password);
  return !mqtt->has_tls || set_tls(mqtt);
}

static void connect_to(frp_mqtt *mqtt, const char *address) {
  if (!make(mqtt)) {
    end(mqtt, "TLS: the file of certificates cannot be read");
    return;
  }
  int result = mosquitto_connect_async(mqtt->mosquitto, address, mqtt->port, mqtt->keep_alive_seconds);
  mqtt->descriptor = mosquitto_socket(mqtt->mosquitto);
  if (result > 0 || mqtt->descriptor < 0) {
    mqtt->descriptor = -1;
    end_with(mqtt, result);
    return;
  }
  frp_net_own(mqtt->net, mqtt->descriptor, mqtt);
  update(mqtt);
}

/// Somebody answers at an address that is granted.
static void on_probe(void *context, const char *error, int descriptor) {
  (void)descriptor;
  frp_mqtt *mqtt = context;
  mqtt->depth++;
  char address[64] = "";
  if (error) {
    mqtt->probe = NULL;
    end(mqtt, error);
  } else {
    frp_link_address(mqtt->probe, address, sizeof address);
    frp_link_close(mqtt->probe);
    mqtt->probe = NULL;
    connect_to(mqtt, address);
  }
  mqtt->depth--;
  settle(mqtt);
}

static int on_permits(void *context, const struct sockaddr *address) {
  frp_mqtt *mqtt = context;
  return mqtt->permits(mqtt->context, address);
}

static char *copy(const char *text) { return text && *text ? strdup(text) : NULL; }

frp_mqtt *frp_mqtt_open(frp_net *net, const frp_mqtt_request *request) {
  static int is_ready;
  if (!is_ready) mosquitto_lib_init();
  is_ready = 1;
  frp_mqtt *mqtt = calloc(1, sizeof *mqtt);
  if (!mqtt) return NULL;
  *mqtt = (frp_mqtt){.net = net, .host = copy(request->host), .client = copy(request->client), .user = copy(request->user),
                     .password = copy(request->password), .authorities = copy(request->authorities), .port = request->port,
                     .keep_alive_seconds = request->keep_alive_seconds, .has_tls = request->has_tls != 0, .descriptor = -1,
                     .context = request->context, .permits = request->permits, .opened = request->opened,
                     .message = request->message, .acknowledged = request->acknowledged, .ended = request->ended};
  char url[300];
  int is_v6 = strchr(request->host, ':') != NULL;
  snprintf(url, sizeof url, "http://%s%s%s:%d/", is_v6 ? "[" : "", request->host, is_v6 ? "]" : "", request->port);
  frp_link_request probe = {.url = url, .connect_milliseconds = 30000, .user = mqtt, .permits = on_permits, .opened = on_probe};
  mqtt->probe = frp_link_open(net, &probe);
  if (!mqtt->probe) {
    give_back(mqtt);
    return NULL;
  }
  return mqtt;
}

// MARK: The loop

void frp_mqtt_ready(frp_mqtt *mqtt, int events) {
  mqtt->depth++;
  int result = MOSQ_ERR_SUCCESS;
  // Until it is open, a handshake of TLS goes on by reading, whatever it waits for.
  if (!mqtt->is_paused && (events & FRP_NET_READ || !mqtt->is_open)) {
    result = mosquitto_loop_read(mqtt->mosquitto, 1);
    if (events & FRP_NET_WRITE) mqtt->has_written = 1;
  }
  if (result == MOSQ_ERR_SUCCESS && !mqtt->is_closed && mosquitto_want_write(mqtt->mosquitto)) {
    result = mosquitto_loop_write(mqtt->mosquitto, 1);
  }
  if (result != MOSQ_ERR_SUCCESS || *mqtt->refusal) end_with(mqtt, result);
  update(mqtt);
  mqtt->depth--;
  settle(mqtt);
}

void frp_mqtt_tick(frp_mqtt *mqtt) {
  if (!mqtt->mosquitto || mqtt->is_paused || mqtt->is_dead || mqtt->is_closed) return;
  mqtt->depth++;
  int result = mosquitto_loop_misc(mqtt->mosquitto);
  if (result != MOSQ_ERR_SUCCESS) end_with(mqtt, result);
  update(mqtt);
  mqtt->depth--;
  settle(mqtt);
}

// MARK: Words of the caller

static int said(frp_mqtt *mqtt, int result, int number) {
  update(mqtt);
  return result == MOSQ_ERR_SUCCESS ? number : -1;
}

int frp_mqtt_subscribe(frp_mqtt *mqtt, const char *topic) {
  int number = 0;
  if (!mqtt->is_open || mqtt->is_dead) return -1;
  return said(mqtt, mosquitto_subscribe(mqtt->mosquitto, &number, topic, 1), number);
}

int frp_mqtt_unsubscribe(frp_mqtt *mqtt, const char *topic) {
  int number = 0;
  if (!mqtt->is_open || mqtt->is_dead) return -1;
  return said(mqtt, mosquitto_unsubscribe(mqtt->mosquitto, &number, topic), number);
}

int frp_mqtt_publish(frp_mqtt *mqtt, const char *topic, const uint8_t *bytes, size_t count) {
  int number = 0;
  if (!mqtt->is_open || mqtt->is_dead || count > LARGEST) return -1;
  return said(mqtt, mosquitto_publish(mqtt->mosquitto, &number, topic, (int)count, bytes, 1, false), number);
}

void frp_mqtt_pause(frp_mqtt *mqtt, int is_paused) {
  mqtt->is_paused = is_paused != 0;
  update(mqtt);
}

void frp_mqtt_close(frp_mqtt *mqtt) {
  if (mqtt->is_closed || mqtt->is_dead) return;
  mqtt->is_closed = 1;
  if (mqtt->probe) frp_link_close(mqtt->probe);
  mqtt->probe = NULL;
  if (mqtt->descriptor >= 0) {
    // Before the socket is closed.
    forget_descriptor(mqtt);
    mosquitto_disconnect(mqtt->mosquitto);
  }
  settle(mqtt);
}
