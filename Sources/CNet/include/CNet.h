// libfrp-net, loaded when it is needed.

#ifndef CNET_H
#define CNET_H

#include "frp_net.h"

/// The functions of the library in this file. NULL: why not stands in `error`, which has room for `capacity` bytes.
const frp_net_functions *cnet_load(const char *path, char *error, size_t capacity);

#endif
