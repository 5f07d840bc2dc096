#include <stddef.h>

#include "CLinux.h"

static const char *const *arguments;

// glibc gives constructors what it gives main.
__attribute__((constructor)) static void keep(int argc, char **argv) {
  if (argc > 0) arguments = (const char *const *)argv;
}

const char *clinux_argument(size_t index) {
  for (size_t before = 0; arguments && before < index; before++) {
    if (!arguments[before]) return NULL;
  }
  return arguments ? arguments[index] : NULL;
}
