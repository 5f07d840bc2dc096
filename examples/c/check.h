/* What both C programs need: texts as the library takes them, and an end with words where something went wrong. */
#ifndef CHECK_H
#define CHECK_H

#include "frp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(s) (const uint8_t *)(s), (ptrdiff_t)strlen(s)

static void check(int32_t status, uint64_t handle, const char *what) {
  if (status == FRP_OK) return;
  uint8_t words[2000];
  ptrdiff_t size = 0;
  frp_message(handle, words, sizeof words, &size);
  fprintf(stderr, "%s: %d: %.*s\n", what, status, (int)size, words);
  exit(1);
}

static void want(int holds, const char *what) {
  printf("%s: %s\n", what, holds ? "yes" : "NO");
  if (!holds) exit(1);
}

#endif
