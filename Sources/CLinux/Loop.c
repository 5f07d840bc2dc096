#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int control(int epoll, int operation, int descriptor, uint32_t events, uint64_t number) {
  struct epoll_event event = {.events = events, .data.u64 = number};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t number) {
  return control(epoll, EPOLL_CTL_ADD, descriptor, events, number);
}

int clinux_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t number) {
  return control(epoll, EPOLL_CTL_MOD, descriptor, events, number);
}

int clinux_epoll_remove(int epoll, int descriptor) { return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0); }

uint64_t clinux_epoll_number(const struct epoll_event *event) { return event->data.u64; }

// Rounded up: a timer that is looked at too early would be waited for again, in a loop.
static int milliseconds(int64_t nanoseconds) {
  if (nanoseconds < 0) return -1;
  int64_t rounded = nanoseconds / 1000000 + (nanoseconds % 1000000 != 0);
  return rounded > 86400000 ? 86400000 : (int)rounded;
}

int clinux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds) {
  static _Thread_local int is_old;
  if (nanoseconds <= 0 || is_old) return epoll_wait(epoll, events, capacity, milliseconds(nanoseconds));
  struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  int count = epoll_pwait2(epoll, events, capacity, &timeout, NULL);
  if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
  is_old = 1;
  return epoll_wait(epoll, events, capacity, milliseconds(nanoseconds));
}

int clinux_pipe(int *ends, bool blocks) { return pipe2(ends, O_CLOEXEC | (blocks ? 0 : O_NONBLOCK)); }

struct thread {
  void (*body)(void *);
  void *context;
};

static void *enter(void *pointer) {
  struct thread thread = *(struct thread *)pointer;
  free(pointer);
  thread.body(thread.context);
  return NULL;
}

// The threads that were here before handle signals, as they did.
int clinux_start_thread(void (*body)(void *), void *context, unsigned long stack) {
  struct thread *thread = malloc(sizeof *thread);
  if (thread == NULL) return ENOMEM;
  *thread = (struct thread){body, context};
  sigset_t all, former;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pthread_t started;
  int error = pthread_create(&started, &attributes, enter, thread);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  pthread_attr_destroy(&attributes);
  if (error != 0) free(thread);
  return error;
}
