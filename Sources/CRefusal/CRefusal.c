#include "CRefusal.h"

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

// ExitCode.fault
static const int fault = 3;

// Nothing here may allocate. What is buffered for standard output is lost.
__attribute__((noinline, noreturn)) static void end_process(void) {
  static const char sentence[] = "frp: the system has no more memory for this process; `--limit memory=…` bounds a program's values\n";
  ssize_t written = write(2, sentence, sizeof sentence - 1);
  (void)written;
  _exit(fault);
}

void *malloc(size_t bytes) {
  void *result = __libc_malloc(bytes);
  if (result == NULL && bytes != 0 && !cs_may_be_refused()) end_process();
  return result;
}

#endif
