#include "CMeasure.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

// glibc keeps its own names for what this file takes over.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static uint64_t allocations;

uint64_t cm_allocations(void) { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }

static void count(void) { __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count();
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

// Requests: valgrind knows them by an instruction sequence without effect, with the arguments' address in one register
// and the answer in another (see valgrind.h, of which only this much is needed).

static uintptr_t request(uintptr_t code, uintptr_t argument) {
  volatile uintptr_t arguments[6] = {code, argument, 0, 0, 0, 0};
  uintptr_t result = 0;
#if defined(__x86_64__)
  __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                   : "=d"(result)
                   : "a"(&arguments[0]), "0"(result)
                   : "cc", "memory");
#elif defined(__aarch64__)
  register uintptr_t x3 __asm__("x3") = result;
  register volatile uintptr_t *x4 __asm__("x4") = &arguments[0];
  __asm__ volatile("ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61; orr x10, x10, x10"
                   : "+r"(x3)
                   : "r"(x4)
                   : "cc", "memory", "x12");
  result = x3;
#endif
  return result;
}

enum { callgrind = 'C' << 24 | 'T' << 16, dump_at = callgrind + 3, start = callgrind + 4, stop = callgrind + 5 };

int cm_can_count(void) {
#if defined(__x86_64__) || defined(__aarch64__)
  return 1;
#else
  return 0;
#endif
}

void cm_start(void) { request(start, 0); }
void cm_stop(void) { request(stop, 0); }
void cm_dump(const char *name) { request(dump_at, (uintptr_t)name); }
