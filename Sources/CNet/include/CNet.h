// libfrp-net, loaded when it is needed.

#ifndef CNET_H
#define CNET_H

#include "frp_net.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The functions of the library in this file. NULL: why not stands in `error`, which has room for `capacity` bytes.
const frp_net_functions *cnet_load(const char *path, char *error, size_t capacity);

/// How many bytes so many have at most once they are deflated; 0 where the system has no zlib.
size_t cnet_deflated_bound(size_t count);

/// Deflates bytes into `capacity` bytes, and says how many these are. False: there is no room, or no zlib.
bool cnet_deflate(const uint8_t *bytes, size_t count, uint8_t *into, size_t *capacity);

#endif
