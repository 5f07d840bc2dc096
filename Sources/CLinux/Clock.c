#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "CLinux.h"

int clinux_wall_timer(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int clinux_wall_timer_set(int timer, int64_t seconds) {
  struct itimerspec value = {.it_value = {.tv_sec = seconds, .tv_nsec = 0}};
  return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &value, NULL);
}

static atomic_uint counts[NSIG];
static atomic_int alarm_descriptor = -1;

static void count(int number) {
  int former = errno;
  atomic_fetch_add(&counts[number], 1);
  uint64_t one = 1;
  ssize_t written = write(atomic_load(&alarm_descriptor), &one, sizeof one);
  (void)written;
  errno = former;
}

void *clinux_count_signal(int number, int alarm) {
  struct sigaction *former = malloc(sizeof *former);
  if (former == NULL) return NULL;
  atomic_store(&alarm_descriptor, alarm);
  atomic_store(&counts[number], 0);
  struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
  if (sigaction(number, &action, former) == 0) return former;
  free(former);
  return NULL;
}

unsigned clinux_signal_count(int number) { return atomic_exchange(&counts[number], 0); }

void clinux_forget_signal(int number, void *former) {
  sigaction(number, former, NULL);
  free(former);
}
