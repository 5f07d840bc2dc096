// Counters of the processor, where the kernel gives them.

#define _GNU_SOURCE

#include "CLinux.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_instruction_counter(void) {
  struct perf_event_attr what;
  memset(&what, 0, sizeof what);
  what.type = PERF_TYPE_HARDWARE;
  what.size = sizeof what;
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int64_t clinux_instructions(int counter) {
  int64_t count = -1;
  return read(counter, &count, sizeof count) == sizeof count ? count : -1;
}
