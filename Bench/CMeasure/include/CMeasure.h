// What a measuring program needs and Swift cannot say: a count of allocations, values that the optimiser knows nothing
// about, and the requests that valgrind's callgrind takes from the program it watches. Only FRPBench links this.

#ifndef CMEASURE_H
#define CMEASURE_H

#include <stdint.h>

/// Calls of malloc, calloc, realloc and their like in this process so far.
uint64_t cm_allocations(void);

/// The same number; the optimiser must believe that it may be another.
static inline int64_t cm_opaque(int64_t value) {
  __asm__ volatile("" : "+r"(value));
  return value;
}

/// Whether this build can talk to callgrind.
int cm_can_count(void);
/// From here on callgrind counts (with --instr-atstart=no), until `cm_stop`. Nothing without callgrind.
void cm_start(void);
void cm_stop(void);
/// Callgrind writes what it has counted since the last dump into the next file, under this name.
void cm_dump(const char *_Nonnull name);

#endif
