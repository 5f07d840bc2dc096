// Signals that concern the terminal. libedit's own handlers (EL_SIGNAL) are not asked for: they change its buffers inside
// of the handler, on whichever thread that runs and in the middle of whatever is being drawn, which ended the process now
// and then; each serves only once an entry; and they send the signal on to every process of the group. Here a handler
// notes what came and wakes who waits for a key, who answers between two keys.

#define _GNU_SOURCE
#include "Signals.h"

#include "Editor.h"
#include "Pane.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_to_stop, goes_on;
/// What a handler writes a byte to, and who waits for a key reads.
static int wake[2] = {-1, -1};
static const int noted[] = {SIGWINCH, SIGTSTP, SIGCONT};
enum { NOTED = sizeof noted / sizeof *noted };
static struct sigaction before[NOTED];
/// The terminal as it is while keys are read.
static struct termios editing;
static int has_editing;

void ce_wake(void) {
  int kept = errno;
  ssize_t written = write(wake[1], "", 1);
  (void)written;
  errno = kept;
}

static void note(int signal) {
  if (signal == SIGTSTP) is_to_stop = 1;
  if (signal == SIGCONT) goes_on = 1;
  ce_wake();
}

void cei_signals_begin(void) {
  if (wake[0] < 0 && pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0) return;
  has_editing = 0;
  struct sigaction action = {0};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (int i = 0; i < NOTED; i++) sigaction(noted[i], &action, &before[i]);
}

void cei_signals_end(void) {
  if (wake[0] < 0) return;
  for (int i = 0; i < NOTED; i++) sigaction(noted[i], &before[i], NULL);
}

int cei_signals_descriptor(void) { return wake[0]; }

int cei_signals_answer(void) {
  char bytes[64];
  while (read(wake[0], bytes, sizeof bytes) > 0) {}
  int redraws = 0;
  if (is_to_stop) {
    is_to_stop = 0;
    cei_suspend();
    goes_on = 0;
    redraws = 1;
  }
  if (goes_on) {
    // It was stopped by what no process can notice, and a shell had the terminal meanwhile.
    goes_on = 0;
    if (has_editing) tcsetattr(0, TCSADRAIN, &editing);
    fputs("\033[?2004h", stdout);
    cei_pane_restore();
    redraws = 1;
  }
  has_editing = tcgetattr(0, &editing) == 0;
  return redraws;
}

static double monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void cei_suspend(void) {
  struct termios current;
  if (tcgetattr(0, &current) != 0) return;
  struct sigaction usual = {0}, stopping, going_on;
  usual.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &usual, &stopping);
  sigaction(SIGCONT, &usual, &going_on);
  cei_pane_release();
  fputs("\033[?2004l\r\n", stdout);
  fflush(stdout);
  tcsetattr(0, TCSADRAIN, &cei_outer_terminal);
  double began = monotonic();
  raise(SIGTSTP);
  cei_suspended_seconds += monotonic() - began;
  tcsetattr(0, TCSADRAIN, &current);
  sigaction(SIGTSTP, &stopping, NULL);
  sigaction(SIGCONT, &going_on, NULL);
  fputs("\033[?2004h", stdout);
  cei_pane_restore();
}

// MARK: Ends

/// The screen and the terminal are given back however the process ends. Only calls that a handler may make.
static void on_end(int signal) {
  static const char reset[] = "\033[?2004l";
  cei_pane_release();
  ssize_t written = write(1, reset, sizeof reset - 1);
  (void)written;
  // In the background the terminal is another's, and to change it would stop this process.
  if (tcgetpgrp(0) == getpgrp()) tcsetattr(0, TCSANOW, &cei_outer_terminal);
  struct sigaction usual = {0};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, NULL);
  raise(signal);
}

void cei_signals_watch_ends(void) {
  struct sigaction end = {0};
  end.sa_handler = on_end;
  static const int signals[] = {SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &end, NULL);
}
