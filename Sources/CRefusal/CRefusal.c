#include "CRefusal.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "CStack.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_ANOTHER_MALLOC
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_ANOTHER_MALLOC)

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

// ExitCode.fault
static const int fault = 3;

// Nothing here may allocate. What is buffered for standard output is lost.
__attribute__((noinline, noreturn)) static void end_process(void) {
  static const char sentence[] = "frp: the system has no more memory for this process; `--limit memory=…` bounds a program's values\n";
  ssize_t written = write(2, sentence, sizeof sentence - 1);
  (void)written;
  _exit(fault);
}

static void *granted(void *memory, bool isWanted) {
  if (memory == NULL && isWanted && !cs_may_be_refused()) end_process();
  return memory;
}

// Swift's runtime takes memory by each of these: where one is refused, it aborts.

void *malloc(size_t bytes) { return granted(__libc_malloc(bytes), bytes != 0); }

void *calloc(size_t count, size_t bytes) { return granted(__libc_calloc(count, bytes), count != 0 && bytes != 0); }

void *realloc(void *memory, size_t bytes) { return granted(__libc_realloc(memory, bytes), bytes != 0); }

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *result = granted(__libc_memalign(alignment, bytes), bytes != 0);
  if (result == NULL) return ENOMEM;
  *memory = result;
  return 0;
}

#endif
