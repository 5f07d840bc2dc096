#define _GNU_SOURCE
#include "CStack.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

// Where this thread's stack lies; both 0 before it has been asked for, and where the system does not say.
static _Thread_local uintptr_t lowest, end;

#ifdef __APPLE__
static void look_up(void) {
  end = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
  lowest = end - pthread_get_stacksize_np(pthread_self());
}
#else
static void look_up(void) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void *start = NULL;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
    lowest = (uintptr_t)start;
    end = lowest + size;
  }
  pthread_attr_destroy(&attributes);
}
#endif

bool cs_thread_stack(uintptr_t *start, uintptr_t *past) {
  if (end == 0) look_up();
  *start = lowest;
  *past = end;
  return end != 0;
}

// The words of others' frames are read, also those between their variables, and while other threads run.
__attribute__((noinline, no_sanitize("address"), no_sanitize("thread"))) static bool scan(
    uintptr_t low, uintptr_t high, void (*found)(void *, uintptr_t), void *context) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (end == 0) look_up();
  if (here < lowest || here >= end) return false;
  for (uintptr_t at = here & ~(uintptr_t)7; at < end; at += 8) {
    uintptr_t word = *(volatile uintptr_t *)at;
    if (word >= low && word < high) found(context, word);
  }
  return true;
}

__attribute__((noinline)) bool cs_stack_words(
    uintptr_t low, uintptr_t high, void (*found)(void *, uintptr_t), void *context) {
  // Puts the registers that callers still need into this function's frame, which lies above that of `scan`.
  __builtin_unwind_init();
  bool result = scan(low, high, found, context);
  // Not a call in the last place, for which this frame would be gone.
  __asm__ volatile("" ::: "memory");
  return result;
}

static _Thread_local bool may_be_refused;

void *cs_reallocate(void *memory, size_t bytes) {
  may_be_refused = true;
  void *result = realloc(memory, bytes);
  may_be_refused = false;
  return result;
}

bool cs_may_be_refused(void) { return may_be_refused; }

#ifdef __linux__
// A file without a name, which nobody can write once this function has returned.
static void *map_file(const char *code, size_t bytes) {
  int file = memfd_create("frp", MFD_CLOEXEC);
  if (file < 0) return NULL;
  size_t written = 0;
  while (written < bytes) {
    ssize_t more = write(file, code + written, bytes - written);
    if (more <= 0) break;
    written += (size_t)more;
  }
  void *memory = written < bytes ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

const void *cs_map_code(const void *code, size_t bytes) {
  void *memory = map_file(code, bytes);
  if (memory != NULL) return memory;
  memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  __builtin_memcpy(memory, code, bytes);
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) == 0) return memory;
  munmap(memory, bytes);
  return NULL;
}

void cs_unmap_code(const void *code, size_t bytes) { munmap((void *)code, bytes); }
#else
const void *cs_map_code(const void *code, size_t bytes) { return NULL; }
void cs_unmap_code(const void *code, size_t bytes) {}
#endif
