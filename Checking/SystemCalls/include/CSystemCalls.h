// System calls of this program, some of them answered by a simulated system.
//
// This module defines read(2), open(2), poll(2) and the like, so whoever is linked with it, and every library it loads (SQLite), calls these.
// On a thread that has entered a simulated system, calls about its descriptors, its paths (below /world) and clocks are its own; all others are
// the kernel's, as before.

#ifndef CSYSTEMCALLS_H
#define CSYSTEMCALLS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/// Answers are those of the kernel itself: what the call gives, or an error's number, negative. Paths are relative to a descriptor of a
/// directory, or with -1 as they stand.
struct simulated_system {
  void *_Nullable context;
  long (*_Nonnull open)(void *_Nullable context, int directory, const char *_Nonnull path, int flags);
  long (*_Nonnull close)(void *_Nullable context, int descriptor);
  long (*_Nonnull status)(void *_Nullable context, int directory, const char *_Nonnull path, struct stat *_Nonnull status);
  long (*_Nonnull status_of)(void *_Nullable context, int descriptor, struct stat *_Nonnull status);
  long (*_Nonnull unlink)(void *_Nullable context, int directory, const char *_Nonnull path);
  long (*_Nonnull make_directory)(void *_Nullable context, int directory, const char *_Nonnull path);
  /// At an offset, or where the descriptor stands (-1).
  long (*_Nonnull read)(void *_Nullable context, int descriptor, void *_Nonnull bytes, size_t count, int64_t offset);
  long (*_Nonnull write)(void *_Nullable context, int descriptor, const void *_Nonnull bytes, size_t count, int64_t offset);
  long (*_Nonnull seek)(void *_Nullable context, int descriptor, int64_t offset, int whence);
  long (*_Nonnull truncate)(void *_Nullable context, int descriptor, int64_t length);
  long (*_Nonnull sync)(void *_Nullable context, int descriptor);
  /// flock(2) and the locks of fcntl(2).
  long (*_Nonnull lock)(void *_Nullable context, int descriptor);
  /// Whether a file may be mapped: what it gets is memory of nobody else, since one process uses it, which begins by making it anew.
  long (*_Nonnull map)(void *_Nullable context, int descriptor);
  long (*_Nonnull poll)(void *_Nullable context, struct pollfd *_Nullable descriptors, size_t count, int milliseconds);
  /// Nanoseconds of CLOCK_REALTIME, or of one that never goes back.
  int64_t (*_Nonnull now)(void *_Nullable context, bool is_wall);
  void (*_Nonnull sleep)(void *_Nullable context, int64_t nanoseconds);
  void (*_Nonnull random)(void *_Nullable context, void *_Nonnull bytes, size_t count);
  /// Whether fork(2) may make a copy: 0, and `simulated_serve` answers what that calls.
  long (*_Nonnull fork)(void *_Nullable context);
};

/// From now on calls of this thread are this system's, which must outlive that.
void simulated_enter(const struct simulated_system *_Nonnull system);
void simulated_leave(void);

/// The number of a descriptor to come, which the kernel gives nobody else until it is closed. -1 and errno.
int simulated_reserve(void);

/// Lets the copy of this process, if it has one, come to its next call (write(2) and fsync(2) of simulated descriptors), and answers that.
/// False where there is no copy, or it has ended, which waitpid(2) says from then on.
bool simulated_serve(const struct simulated_system *_Nonnull system);

#endif
