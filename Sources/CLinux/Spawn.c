#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CLinux.h"

// posix_spawn cannot run a descriptor, and glibc 2.36 gives none of the child.

static int cover(int descriptor, int number) {
  if (descriptor != number) return dup2(descriptor, number);
  return fcntl(number, F_SETFD, 0);
}

// What this process was started with, and nobody meant for its children. Before Linux 5.11 only the first thousand.
static void close_rest(void) {
  if (syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int descriptor = 3; descriptor < 1024; descriptor++) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// A handler must not run here, in the parent's memory; one that ignores is kept (nohup), but for SIGPIPE, which the parent
// ignores for itself.
static void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL || (action.sa_handler == SIG_IGN && number != SIGPIPE)) continue;
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    sigaction(number, &action, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// Of descriptors: what there was before it was raised, which children get, and what there is.
static struct rlimit former_limit, present_limit;
static bool is_raised;
static pthread_once_t raising = PTHREAD_ONCE_INIT;

static void raise_limit(void) {
  if (getrlimit(RLIMIT_NOFILE, &former_limit) != 0) return;
  present_limit = former_limit;
  present_limit.rlim_cur = present_limit.rlim_max;
  is_raised = former_limit.rlim_cur < former_limit.rlim_max && setrlimit(RLIMIT_NOFILE, &present_limit) == 0;
  if (!is_raised) present_limit = former_limit;
}

long clinux_raise_descriptors(void) {
  pthread_once(&raising, raise_limit);
  return present_limit.rlim_cur > LONG_MAX ? LONG_MAX : (long)present_limit.rlim_cur;
}

// In the child, which has the parent's memory: nothing is written but what it returns.
static int run(const struct clinux_child *child) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (cover(child->input, 0) < 0 || cover(child->output, 1) < 0 || cover(child->errors, 2) < 0) return errno;
  close_rest();
  // Programs of old take every descriptor for a small number.
  if (is_raised) setrlimit(RLIMIT_NOFILE, &former_limit);
  reset_signals();
  if (child->program >= 0) {
    syscall(SYS_execveat, child->program, "", child->arguments, child->environment, AT_EMPTY_PATH);
  } else {
    execve(child->path, child->arguments, child->environment);
  }
  return errno;
}

// A parent that ignores SIGCHLD never learns how its children ended.
static void notice_children(void) {
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}

static pthread_once_t noticing = PTHREAD_ONCE_INIT;

int clinux_spawn(const struct clinux_child *child, int *pid, int *pidfd) {
  pthread_once(&noticing, notice_children);
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &former);
  volatile int error = 0;
  pid_t made = vfork();
  if (made == 0) {
    error = run(child);
    _exit(127);
  }
  if (made < 0) error = errno;
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  if (made < 0) return error;
  if (error == 0) {
    *pid = made;
    *pidfd = (int)syscall(SYS_pidfd_open, made, 0);
    if (*pidfd >= 0) return 0;
    error = errno;
    kill(-made, SIGKILL);
  }
  while (waitpid(made, NULL, 0) < 0 && errno == EINTR) {
  }
  return error;
}

int clinux_fork(int descriptor) {
  pthread_once(&noticing, notice_children);
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &former);
  pid_t parent = getpid();
  pid_t made = fork();
  if (made == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (int number = 0; number < descriptor; number++) close(number);
    if (syscall(SYS_close_range, descriptor + 1, ~0U, 0) != 0) {
      for (int number = descriptor + 1; number < 1024; number++) close(number);
    }
    return 0;
  }
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  errno = error;
  return made;
}

int clinux_reap(int pidfd) {
  siginfo_t info = {0};
  while (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED) != 0) {
    if (errno != EINTR) return -1;
  }
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}
