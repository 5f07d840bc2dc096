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

// zlib's two functions of this kind have had these types since 1995.
typedef unsigned long (*bound_function)(unsigned long);
typedef int (*compress_function)(unsigned char *, unsigned long *, const unsigned char *, unsigned long, int);

static void *zlib(const char *name) {
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : NULL;
}

size_t cnet_deflated_bound(size_t count) {
  bound_function bound = (bound_function)zlib("compressBound");
  return bound && zlib("compress2") ? bound(count) : 0;
}

bool cnet_deflate(const uint8_t *bytes, size_t count, uint8_t *into, size_t *capacity) {
  compress_function compress = (compress_function)zlib("compress2");
  unsigned long made = *capacity;
  if (!compress || compress(into, &made, bytes, count, 9) != 0) return false;
  *capacity = made;
  return true;
}
