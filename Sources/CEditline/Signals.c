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
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_to_stop, goes_on;
/// Whether another program may have had the screen since an entry was last typed.
static volatile sig_atomic_t was_stopped;
/// Whether the terminal is another program's.
static volatile sig_atomic_t is_lent;
/// What a handler writes a byte to, and who waits for a key reads.
static int wake[2] = {-1, -1};
static const int noted[] = {SIGWINCH, SIGTSTP, SIGCONT};
enum { NOTED = sizeof noted / sizeof *noted };
static struct sigaction before[NOTED];
/// The terminal as it is while keys are read, and while it is lent.
static struct termios editing, kept;
static int has_editing;

/// Writes what a terminal is told; may be called in a handler.
static void tell(const char *text) {
  if (write(1, text, strlen(text)) < 0) return;
}

void ce_wake(void) {
  int number = errno;
  ssize_t written = write(wake[1], "", 1);
  (void)written;
  errno = number;
}

static void handle(int signal, void (*handler)(int), int flags, struct sigaction *old) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, old);
}

// MARK: While an entry is typed

static void note(int signal) {
  if (signal == SIGTSTP) is_to_stop = 1;
  if (signal == SIGCONT) goes_on = 1;
  ce_wake();
}

void cei_signals_begin(void) {
  if (wake[0] < 0 && pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0) return;
  has_editing = 0;
  for (int i = 0; i < NOTED; i++) handle(noted[i], note, SA_RESTART, &before[i]);
  if (was_stopped) cei_pane_restore();
  was_stopped = 0;
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

// MARK: Stopping

/// Whether a program has the whole screen, beside what else is on it.
static volatile sig_atomic_t is_filled;

static double monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/// Gives the terminal back as it was, stops, and takes the terminal again, but for the pane. May be called in a handler
/// that does not block SIGTSTP.
static void stop(void) {
  struct termios current;
  int has_terminal = !is_lent && tcgetattr(0, &current) == 0;
  struct sigaction stopping, going_on;
  handle(SIGTSTP, SIG_DFL, 0, &stopping);
  handle(SIGCONT, SIG_DFL, 0, &going_on);
  if (has_terminal) {
    cei_pane_release();
    if (is_filled) tell("\033[?25h\033[?1049l");
    tell("\033[?2004l\r\n");
    tcsetattr(0, TCSADRAIN, &cei_outer_terminal);
  }
  double began = monotonic();
  raise(SIGTSTP);
  cei_suspended_seconds += monotonic() - began;
  if (has_terminal) {
    tcsetattr(0, TCSADRAIN, &current);
    tell("\033[?2004h");
    if (is_filled) tell("\033[?1049h\033[?25l\033[2J");
  }
  sigaction(SIGTSTP, &stopping, NULL);
  sigaction(SIGCONT, &going_on, NULL);
}

void cei_suspend(void) {
  fflush(stdout);
  stop();
  cei_pane_restore();
}

/// While nothing is typed, a program may take its time: it stops at once.
static void stop_outside(int signal) {
  int number = errno;
  if (signal == SIGTSTP) stop();
  was_stopped = 1;
  errno = number;
}

void ce_lend(int lends) {
  if (lends == is_lent) return;
  fflush(stdout);
  if (lends && tcgetattr(0, &kept) != 0) return;
  tell(lends ? "\033[?2004l" : "\033[?2004h");
  tcsetattr(0, TCSADRAIN, lends ? &cei_outer_terminal : &kept);
  is_lent = lends;
}

void ce_fill(int fills) {
  fflush(stdout);
  if (fills) cei_pane_release();
  is_filled = fills;
  tell(fills ? "\033[?1049h\033[?25l\033[2J" : "\033[?25h\033[?1049l");
  if (!fills) cei_pane_restore();
}

// MARK: Ends

static const int ends[] = {SIGTERM, SIGHUP, SIGQUIT, SIGABRT};
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
enum { ENDS = sizeof ends / sizeof *ends, FAULTS = sizeof faults / sizeof *faults };
static struct sigaction before_end[ENDS], before_fault[FAULTS];

/// The screen and the terminal are given back however the process ends. Only calls that a handler may make.
static void give_back(void) {
  cei_pane_release();
  if (is_filled) tell("\033[?1049l");
  tell("\033[0m\033[?25h\033[?2004l");
  // In the background the terminal is another's, and to change it would stop this process.
  if (tcgetpgrp(0) == getpgrp()) tcsetattr(0, TCSANOW, &cei_outer_terminal);
}

static void on_end(int signal) {
  give_back();
  for (int i = 0; i < ENDS; i++) {
    if (ends[i] == signal) sigaction(signal, &before_end[i], NULL);
  }
  raise(signal);
}

/// What failed fails again, and whoever tells of it finds it as it was.
static void on_fault(int signal, siginfo_t *cause, void *unused) {
  (void)unused;
  give_back();
  for (int i = 0; i < FAULTS; i++) {
    if (faults[i] == signal) sigaction(signal, &before_fault[i], NULL);
  }
  if (cause->si_code <= 0) raise(signal);
}

void cei_signals_watch(void) {
  for (int i = 0; i < ENDS; i++) {
    handle(ends[i], on_end, 0, &before_end[i]);
    if (before_end[i].sa_handler == SIG_IGN) sigaction(ends[i], &before_end[i], NULL);
  }
  struct sigaction fault = {0};
  fault.sa_sigaction = on_fault;
  fault.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int i = 0; i < FAULTS; i++) sigaction(faults[i], &fault, &before_fault[i]);
  handle(SIGTSTP, stop_outside, SA_RESTART | SA_NODEFER, NULL);
  handle(SIGCONT, stop_outside, SA_RESTART, NULL);
}
