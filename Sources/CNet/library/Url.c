// URLs, read by the same parser that the transfers use.

#include "Net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *part(CURLU *url, CURLUPart which, unsigned flags) {
  char *text = NULL, *copy;
  if (curl_url_get(url, which, &text, flags) != CURLUE_OK) return strdup("");
  copy = strdup(text);
  curl_free(text);
  return copy;
}

static int default_port(const char *scheme) {
  static const struct { const char *scheme; int port; } known[] = {
      {"http", 80}, {"https", 443}, {"ws", 80}, {"wss", 443}, {"mqtt", 1883}, {"mqtts", 8883}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(scheme, known[i].scheme) == 0) return known[i].port;
  }
  return 0;
}

static void set_host(CURLU *url, frp_net_url *result) {
  char *host = part(url, CURLUPART_HOST, 0);
  const char *begin = *host == '[' ? host + 1 : host;
  size_t count = strlen(begin);
  if (begin != host && count > 0) count--;
  snprintf(result->host, sizeof result->host, "%.*s", (int)count, begin);
  for (char *c = result->host; *c; c++) {
    if (*c >= 'A' && *c <= 'Z') *c += 'a' - 'A';
  }
  free(host);
}

static void set_target(CURLU *url, frp_net_url *result) {
  char *path = part(url, CURLUPART_PATH, 0), *query = part(url, CURLUPART_QUERY, 0);
  size_t count = strlen(path) + strlen(query) + 3;
  result->target = malloc(count);
  if (result->target) snprintf(result->target, count, "%s%s%s", *path ? path : "/", *query ? "?" : "", query);
  free(path);
  free(query);
}

const char *frp_net_parse_url(const char *text, frp_net_url *result) {
  memset(result, 0, sizeof *result);
  // libcurl takes what stands behind a third slash for the host.
  const char *behind = strstr(text, "://");
  if (behind && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == (size_t)(behind - text) && strchr("/?#", behind[3])) {
    return "a URL without a host";
  }
  CURLU *url = curl_url();
  if (!url) return "there is no memory";
  CURLUcode code = curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME);
  if (code != CURLUE_OK) {
    curl_url_cleanup(url);
    return code == CURLUE_BAD_SCHEME        ? "a URL without its scheme"
           : code == CURLUE_BAD_PORT_NUMBER ? "a URL whose port is no number up to 65535"
                                            : "not a URL";
  }
  char *scheme = part(url, CURLUPART_SCHEME, 0), *port = part(url, CURLUPART_PORT, 0);
  snprintf(result->scheme, sizeof result->scheme, "%s", scheme);
  result->port = *port ? atoi(port) : default_port(scheme);
  free(scheme);
  free(port);
  set_host(url, result);
  set_target(url, result);
  result->user = part(url, CURLUPART_USER, CURLU_URLDECODE);
  result->password = part(url, CURLUPART_PASSWORD, CURLU_URLDECODE);
  curl_url_cleanup(url);
  return *result->host ? NULL : "a URL without a host";
}

void frp_net_free_url(frp_net_url *url) {
  free(url->target);
  free(url->user);
  free(url->password);
  memset(url, 0, sizeof *url);
}
