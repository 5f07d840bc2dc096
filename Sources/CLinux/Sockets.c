#define _GNU_SOURCE
#include "CLinux.h"

#include <stddef.h>
#include <sys/random.h>
#include <sys/socket.h>

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

void clinux_random(void *bytes, size_t count) {
  // Up to 256 bytes come whole, once the system has any.
  if (getrandom(bytes, count, 0) < 0) return;
}
