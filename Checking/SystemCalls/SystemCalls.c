#define _GNU_SOURCE
#include "CSystemCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "Here.h"

_Thread_local const struct simulated_system *here;
bool is_simulated[descriptors];

#define ANSWER(call)                                                   \
  const struct simulated_system *system = here;                        \
  here = NULL;                                                         \
  long answer = call;                                                  \
  here = system;                                                       \
  if (answer >= 0) return answer;                                      \
  errno = (int)-answer;                                                \
  return -1

static bool is_ours(int descriptor) {
  return here != NULL && descriptor >= 0 && descriptor < descriptors && is_simulated[descriptor];
}

// A path as the simulated system knows it; NULL where it is the kernel's.
static const char *resolved(int *directory, const char *path) {
  if (here == NULL || path == NULL) return NULL;
  if (strncmp(path, "/world", 6) == 0) {
    *directory = -1;
    return path;
  }
  int descriptor = -1, length = 0;
  if (sscanf(path, "/proc/self/fd/%d%n", &descriptor, &length) == 1 && is_ours(descriptor)) {
    *directory = descriptor;
    return path[length] == '/' ? path + length + 1 : "";
  }
  return path[0] != '/' && is_ours(*directory) ? path : NULL;
}

void simulated_enter(const struct simulated_system *system) { here = system; }

void simulated_leave(void) { here = NULL; }

int simulated_reserve(void) {
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
  if (descriptor >= descriptors) {
    syscall(SYS_close, descriptor);
    errno = EMFILE;
    return -1;
  }
  if (descriptor >= 0) is_simulated[descriptor] = true;
  return descriptor;
}

// MARK: Names

static int open_at(int directory, const char *path, int flags, unsigned mode) {
  const char *ours = resolved(&directory, path);
  if (ours == NULL) return (int)syscall(SYS_openat, directory, path, flags, mode);
  ANSWER(system->open(system->context, directory, ours, flags));
}

#define MODE                               \
  va_list rest;                            \
  va_start(rest, flags);                   \
  unsigned mode = va_arg(rest, unsigned);  \
  va_end(rest)

int open(const char *path, int flags, ...) {
  MODE;
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE;
  return open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int directory, const char *path, int flags, ...) {
  MODE;
  return open_at(directory, path, flags, mode);
}

static int status_at(int directory, const char *path, struct stat *status, int flags) {
  const char *ours = resolved(&directory, path);
  if (ours == NULL) return (int)syscall(SYS_newfstatat, directory, path, status, flags);
  ANSWER(system->status(system->context, directory, ours, status));
}

int fstatat(int directory, const char *path, struct stat *status, int flags) {
  return status_at(directory, path, status, flags);
}
int stat(const char *path, struct stat *status) { return status_at(AT_FDCWD, path, status, 0); }
int lstat(const char *path, struct stat *status) { return status_at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW); }
int stat64(const char *path, struct stat64 *status) { return stat(path, (struct stat *)status); }
int lstat64(const char *path, struct stat64 *status) { return lstat(path, (struct stat *)status); }

int access(const char *path, int mode) {
  int directory = AT_FDCWD;
  struct stat status;
  if (resolved(&directory, path) == NULL) return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
  return stat(path, &status);
}

int unlinkat(int directory, const char *path, int flags) {
  const char *ours = resolved(&directory, path);
  if (ours == NULL) return (int)syscall(SYS_unlinkat, directory, path, flags);
  ANSWER(system->unlink(system->context, directory, ours));
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int mkdir(const char *path, mode_t mode) {
  int directory = AT_FDCWD;
  const char *ours = resolved(&directory, path);
  if (ours == NULL) return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  ANSWER(system->make_directory(system->context, directory, ours));
}

// MARK: Descriptors

int close(int descriptor) {
  if (!is_ours(descriptor)) return (int)syscall(SYS_close, descriptor);
  is_simulated[descriptor] = false;
  syscall(SYS_close, descriptor);
  ANSWER(system->close(system->context, descriptor));
}

int fstat(int descriptor, struct stat *status) {
  if (!is_ours(descriptor)) return (int)syscall(SYS_fstat, descriptor, status);
  ANSWER(system->status_of(system->context, descriptor, status));
}
int fstat64(int descriptor, struct stat64 *status) { return fstat(descriptor, (struct stat *)status); }

ssize_t read(int descriptor, void *bytes, size_t count) {
  if (!is_ours(descriptor)) return syscall(SYS_read, descriptor, bytes, count);
  ANSWER(system->read(system->context, descriptor, bytes, count, -1));
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
  if (!is_ours(descriptor)) return syscall(SYS_pread64, descriptor, bytes, count, offset);
  ANSWER(system->read(system->context, descriptor, bytes, count, offset));
}
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) { return pread64(descriptor, bytes, count, offset); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (is_of_copy(descriptor)) return ask_to_write(descriptor, bytes, count);
  if (!is_ours(descriptor)) return syscall(SYS_write, descriptor, bytes, count);
  ANSWER(system->write(system->context, descriptor, bytes, count, -1));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  if (!is_ours(descriptor)) return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  ANSWER(system->write(system->context, descriptor, bytes, count, offset));
}

off_t lseek(int descriptor, off_t offset, int whence) {
  if (!is_ours(descriptor)) return syscall(SYS_lseek, descriptor, offset, whence);
  ANSWER(system->seek(system->context, descriptor, offset, whence));
}

int ftruncate64(int descriptor, off64_t length) {
  if (!is_ours(descriptor)) return (int)syscall(SYS_ftruncate, descriptor, length);
  ANSWER(system->truncate(system->context, descriptor, length));
}
int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

static int synchronize(int descriptor, long call) {
  if (is_of_copy(descriptor)) return ask_to_sync(descriptor);
  if (!is_ours(descriptor)) return (int)syscall(call, descriptor);
  ANSWER(system->sync(system->context, descriptor));
}
int fsync(int descriptor) { return synchronize(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synchronize(descriptor, SYS_fdatasync); }

int flock(int descriptor, int operation) {
  if (!is_ours(descriptor)) return (int)syscall(SYS_flock, descriptor, operation);
  ANSWER(system->lock(system->context, descriptor));
}

static int control(int descriptor, int command, void *argument) {
  bool is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  if (!is_ours(descriptor) || !is_lock) return (int)syscall(SYS_fcntl, descriptor, command, argument);
  // Nobody else is there who could have it.
  if (command == F_GETLK) ((struct flock *)argument)->l_type = F_UNLCK;
  ANSWER(system->lock(system->context, descriptor));
}

#define ARGUMENT                          \
  va_list rest;                           \
  va_start(rest, command);                \
  void *argument = va_arg(rest, void *);  \
  va_end(rest);                           \
  return control(descriptor, command, argument)

int fcntl(int descriptor, int command, ...) { ARGUMENT; }
int fcntl64(int descriptor, int command, ...) { ARGUMENT; }

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
  if (!is_ours(descriptor)) return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
  const struct simulated_system *system = here;
  here = NULL;
  long refusal = system->map(system->context, descriptor);
  here = system;
  if (refusal == 0) return (void *)syscall(SYS_mmap, NULL, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = (int)-refusal;
  return MAP_FAILED;
}

// MARK: Time

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
  if (here == NULL) return (int)syscall(SYS_poll, descriptors, count, milliseconds);
  ANSWER(system->poll(system->context, descriptors, count, milliseconds));
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (here == NULL || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) {
    return (int)syscall(SYS_clock_gettime, clock, time);
  }
  const struct simulated_system *system = here;
  here = NULL;
  int64_t now = system->now(system->context, clock == CLOCK_REALTIME);
  here = system;
  *time = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
  return 0;
}

int usleep(useconds_t microseconds) {
  const struct simulated_system *system = here;
  if (system == NULL) {
    struct timespec time = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
    return (int)syscall(SYS_nanosleep, &time, NULL);
  }
  here = NULL;
  system->sleep(system->context, (int64_t)microseconds * 1000);
  here = system;
  return 0;
}

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  const struct simulated_system *system = here;
  if (system == NULL) return syscall(SYS_getrandom, bytes, count, flags);
  here = NULL;
  system->random(system->context, bytes, count);
  here = system;
  return (ssize_t)count;
}
