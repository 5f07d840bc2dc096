// Loads libfrp-net, which the program is not linked with: libcurl and what it needs take longer to load than the rest of
// the program, and most programs of the language name no network.

#include "CNet.h"

#include <dlfcn.h>
#include <stdio.h>

const frp_net_functions *cnet_load(const char *path, char *error, size_t capacity) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(error, capacity, "%s", dlerror());
    return NULL;
  }
  const frp_net_functions *(*table)(void) = (const frp_net_functions *(*)(void))dlsym(library, "frp_net_table");
  if (!table || table()->version != FRP_NET_VERSION) {
    snprintf(error, capacity, "%s belongs to another version of frp", path);
    dlclose(library);
    return NULL;
  }
  return table();
}
