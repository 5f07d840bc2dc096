// What Linux offers and Swift's Glibc module does not show.

#ifndef CLINUX_H
#define CLINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// EPOLL_CTL_ADD and EPOLL_CTL_MOD with a number that comes back with what is ready. 0, or -1 and errno.
int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t number);
int clinux_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t number);
int clinux_epoll_remove(int epoll, int descriptor);

/// The number that an event came with: the structure is packed, and Swift does not see into its union.
uint64_t clinux_epoll_number(const struct epoll_event *_Nonnull event);

/// epoll_wait that wakes to the nanosecond where the kernel can (5.11), else to the millisecond after. Less than 0: for ever.
int clinux_epoll_wait(int epoll, struct epoll_event *_Nonnull events, int capacity, int64_t nanoseconds);

/// pipe2 with O_CLOEXEC, and with O_NONBLOCK where neither end blocks: readable, writable. 0, or -1 and errno.
int clinux_pipe(int *_Nonnull ends, bool blocks);

/// A thread that no signal is delivered to, detached, with a stack of so many bytes. 0, or what is wrong.
int clinux_start_thread(void (*_Nonnull body)(void *_Nullable context), void *_Nullable context, unsigned long stack);

/// O_PATH, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK and the like, of which Swift sees some.
extern const int clinux_o_path;

/// openat2 that resolves beneath `directory`, through no magic link, and with `links` false through no link at all. -1 and
/// errno: EXDEV and ELOOP where it would leave, EAGAIN where something was renamed meanwhile, ENOSYS where the kernel has none.
int clinux_open_beneath(int directory, const char *_Nonnull path, int flags, unsigned mode, bool links);

/// openat of one name that is not followed if it is a link. Closed on exec.
int clinux_open_entry(int directory, const char *_Nonnull name, int flags, unsigned mode);

/// readlinkat of a descriptor opened with O_PATH | O_NOFOLLOW. The length, or -1 and errno.
long clinux_read_link(int descriptor, char *_Nonnull target, unsigned long capacity);

/// What a child is made of.
struct clinux_child {
  /// Opened with O_PATH, and run by execveat; or -1, and `path` is run.
  int program;
  const char *_Nullable path;
  char *_Nullable const *_Nonnull arguments;
  /// `NAME=VALUE`, NULL behind the last.
  char *_Nullable const *_Nonnull environment;
  /// What becomes 0, 1 and 2.
  int input, output, errors;
};

/// Starts a child in a process group of its own, with no other descriptor than those three, and no signal blocked or
/// handled. It is killed when the thread that starts it ends. 0 with its number and a descriptor of
/// it, or what is wrong.
int clinux_spawn(const struct clinux_child *_Nonnull child, int *_Nonnull pid, int *_Nonnull pidfd);

/// How many descriptors this process may have, once it may have as many as the system lets it; children get the limit of before.
long clinux_raise_descriptors(void);

/// Whether this executable says of itself that a program stands behind it.
bool clinux_sign_is_set(void);

/// Where the file of an executable like this one says so; -1 where that is not to be found.
long clinux_sign_place(int executable);

/// What it has there then.
extern const unsigned char clinux_sign_set;

/// Waits for a child that has ended, which `pidfd` says by being readable: its exit code, 128 and the signal that ended it,
/// or -1 where nobody knows.
int clinux_reap(int pidfd);

/// A copy of this process in which the calling thread alone goes on, with no descriptor but this one, and hears no signal; it is killed
/// when the thread that made it ends. 0 there; here its number, or -1 and errno.
int clinux_fork(int descriptor);

/// The next connection of a socket that listens; it does not block, and is not inherited. -1 and errno.
int clinux_accept(int listener);

/// A timer of the wall clock, which does not block; and the moment at which it is readable, in seconds since 1970. When
/// somebody sets the clock, it is readable at once, and read(2) says ECANCELED.
int clinux_wall_timer(void);
int clinux_wall_timer_set(int timer, int64_t seconds);

/// Counts a signal from now on, and writes to `alarm` (an eventfd) when it comes. Gives what is to be put back, or NULL.
void *_Nullable clinux_count_signal(int number, int alarm);

/// How often it has come since this was asked last.
unsigned clinux_signal_count(int number);

/// Gives a signal the meaning that it had.
void clinux_forget_signal(int number, void *_Nonnull former);

/// What the kernel knows of Landlock: 0 for nothing, from 4 on it knows ports of TCP.
int clinux_landlock_version(void);

/// Rules of the kinds of access that are named; all that is not allowed is refused. A descriptor, or -1 and errno.
int clinux_landlock_make(uint64_t files, uint64_t ports);
int clinux_landlock_allow_below(int ruleset, int descriptor, uint64_t files);
int clinux_landlock_allow_port(int ruleset, unsigned port, uint64_t ports);

/// For this thread and those that it starts, for good: no program makes it more than it is (setuid); rules hold.
int clinux_no_new_privileges(void);
int clinux_landlock_enter(int ruleset);

/// A word that the process was started with, the first its name; NULL behind the last.
const char *_Nullable clinux_argument(size_t index);

/// Fills up to 256 bytes that nobody can guess.
void clinux_random(void *_Nonnull bytes, size_t count);

/// A descriptor that counts the instructions of this thread outside of the kernel from now on; -1 and errno where there is no such
/// counter, or the kernel keeps it to itself.
int clinux_instruction_counter(void);

/// What it has counted; -1 where it cannot be read.
int64_t clinux_instructions(int counter);

#endif
