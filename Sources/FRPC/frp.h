/* frp: programs of events and behaviors, embedded in C.
 *
 * docs/embedding_c.md leads from nothing to a running program, with a real clock, tasks, and restarts.
 *
 * Programs and runs are named by handles, which are plain numbers, and never 0: a handle that was released, or never given
 * out, is an error (FRP_BAD_HANDLE). A handle is used by one thread at a time; a second one gets FRP_BUSY, and so does a
 * function of the host that uses the run that called it. Programs can be shared by any number of runs, and be released
 * before them; frp_open uses the program's handle for a moment, so that threads that open runs at the same time may get FRP_BUSY.
 *
 * Every call gives a status. What went wrong, in words: frp_message(handle, ...) of the handle that the call was given first;
 * it stays until something else goes wrong. Nothing is printed, nothing is thrown, and no pointer that is passed in is kept.
 * A call that fails has done nothing, but where it says otherwise; a handle that it would give is then 0, and other places are
 * left as they are.
 *
 * Texts are UTF-8 with a length; no zero byte at the end is needed or written. NULL with length 0 is the empty text. NULL with
 * another length, a length below 0, and NULL where a result goes, are FRP_BAD_ARGUMENT.
 *
 * Calls that give text take a buffer, its capacity, and where to put the size of the text. If the buffer is too small
 * (or NULL) they give FRP_TOO_SMALL and the size; nothing is lost, call again. A capacity below 0 is FRP_BAD_ARGUMENT. `needed`
 * may be NULL, but not of frp_poll, frp_poll_lines and frp_faults, which give what they give once.
 *
 * What ends the process: memory that the system does not have, of all runs together (limits are of one run each: give each its
 * share), and an exception, a longjmp or an end of the thread that leaves a function of the host, which must return. A child
 * of fork may use the library if no other thread was inside of it at the fork.
 */
#ifndef FRP_H
#define FRP_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t frp_program;
typedef uint64_t frp_run;

enum {
  FRP_OK = 0,
  FRP_BAD_HANDLE = 1,
  FRP_BUSY = 2,
  FRP_BAD_ARGUMENT = 3,
  FRP_PROGRAM_HAS_ERRORS = 4, /* frp_message has them all */
  FRP_UNKNOWN_PORT = 5,
  FRP_WRONG_TYPE = 6,         /* the port has another type: use the JSON calls */
  FRP_UNFIT = 7,              /* the text is no value of the port's type */
  FRP_FAULT = 8,              /* the program faulted; the instant was undone, the run goes on */
  FRP_NOT_NOW = 9,            /* before the start, a second start, or after the end: nothing was done; also after a start
                                 that faulted, which ends the run */
  FRP_UNUSABLE_SNAPSHOT = 10,
  FRP_TOO_SMALL = 11,
  FRP_NOTHING = 12,           /* what was asked for is not there: the program waits for inputs only, no such task is under way */
  FRP_INTERRUPTED = 13,       /* frp_interrupt has ended frp_advance between two instants: frp_now says where */
  FRP_FULL = 14,              /* watched outputs have shown as much as is kept: call frp_poll, then this again. Nothing was
                                 done, but by frp_advance, which has come to frp_now (and
                                 frp_faults), and sends of many (*taken) */
  FRP_NOT_WATCHED = 15        /* the run was opened without being watched: it cannot be interrupted */
};

/* The version of this header, which grows when something is added, and that of the library: one that is not less has all of
 * the header. */
#define FRP_ABI_VERSION 7
int32_t frp_abi_version(void);
/* Programs and runs that have not been released. */
ptrdiff_t frp_live_handles(void);
int32_t frp_release(uint64_t handle);
/* What went wrong last with this handle, or what frp_replace did; of a program that nothing was done with, its errors and
 * warnings. Where a call gave FRP_BAD_HANDLE or FRP_BUSY for its first handle, nobody keeps words. */
int32_t frp_message(uint64_t handle, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* Compiles a text. *program is a handle even when the text has errors: they are its message, and it is to be released like any
 * other. It is 0 where the arguments are wrong. `name` is for people. Nothing is read from the disk: there are no modules to be
 * imported, and none of the world (Files, Http), but what the host provides. */
int32_t frp_compile(const uint8_t *name, ptrdiff_t name_length, const uint8_t *text, ptrdiff_t length,
                    frp_program *program);
/* A function of the host: which one, and its arguments as a JSON array. It puts its result as JSON into `result` and the
 * size into `*needed`; or a message, and gives anything but FRP_OK: then the instant faults. Where there is too little room
 * it gives FRP_TOO_SMALL, and is called again with more, twice at most. It must be pure (it is called as often as the engine
 * likes, and again when a snapshot is restored), is called on the thread that uses the run, with the stack of that thread, by
 * several threads at once where several runs are used, and cannot use that run (FRP_BUSY), but others, and frp_interrupt. It
 * must return: no exception or longjmp may leave it. The limits see it when it has returned: then the instant faults. */
typedef int32_t (*frp_host_function)(void *user, const uint8_t *name, ptrdiff_t name_length, const uint8_t *arguments,
                                     ptrdiff_t length, uint8_t *result, ptrdiff_t capacity, ptrdiff_t *needed);
/* frp_compile with a module of the host. `interface` declares a function a line, with its documentation above it:
 *   /// Twice n.
 *   double(n: Int): Int
 *   fetch(path: String): Task<String>
 *   ping(): Task<Int>
 * Those that give a Task are tasks (frp_tasks); the others are called by `function`, with `user`, for as long as the program
 * or a run of it is there. Programs write Module.double(n) and Module.ping(). What is wrong with the interface is an error of
 * the program that says so. The module's name begins with a capital letter. */
int32_t frp_compile_with_host(const uint8_t *name, ptrdiff_t name_length, const uint8_t *text, ptrdiff_t length,
                              const uint8_t *module, ptrdiff_t module_length, const uint8_t *interface,
                              ptrdiff_t interface_length, frp_host_function function, void *user,
                              frp_program *program);
/* Either, with limits on the work of compiling, for texts of others: a program of one line can ask for any amount, and is
 * refused (E0411) where it asks for more. `limits` are numbers, 0 for the default, in this order: steps (1,500,000), bytes of
 * what is made (400 MiB), milliseconds (no limit); fewer may be given, more are FRP_BAD_ARGUMENT. Steps and bytes grow with the
 * length of the text, by 100 and 2,000 for each of its bytes; the same text is refused by them on every machine, by the time
 * where the machine is slow. They are looked at while a program is checked; reading a long text, and putting many errors into
 * words, come on top, so bound the length of texts yourself. `module` may be NULL. */
int32_t frp_compile_with_limits(const uint8_t *name, ptrdiff_t name_length, const uint8_t *text, ptrdiff_t length,
                                const uint64_t *limits, ptrdiff_t limit_count, const uint8_t *module,
                                ptrdiff_t module_length, const uint8_t *interface, ptrdiff_t interface_length,
                                frp_host_function function, void *user, frp_program *program);
/* Calls destroy(user) once, with the `user` of the program's functions, when nobody can call them any more: when the program
 * and all runs of it are released, or replaced, on the thread that does that. It may not use the library. FRP_NOTHING: the
 * program was compiled without a function. */
int32_t frp_set_destroy(frp_program program, void (*destroy)(void *user));
/* What is wrong with a program, errors and warnings, a JSON object a line, as `frp check --format json` gives it:
 * {"code":"E0301","severity":"error","message":…,"file":…,"span":{"start":{"line":1,"col":6,"utf8":5},"end":…},"help":[…],…} */
int32_t frp_diagnostics(frp_program program, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);
/* {"inputs":[{"name":"n","type":"Int","event":true}],"outputs":[...]} */
int32_t frp_ports(frp_program program, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* Prepares a run. `limits` are numbers, 0 for the default; fewer may be given, more are FRP_BAD_ARGUMENT:
 *   0  steps of an instant                         200,000,000: about a second of work
 *   1  bytes of values that are alive              4 GiB, and at most 3/8 of the machine's memory; 65,536 at least
 *   2  words (of 8 bytes) of the stack             16 Mi, reserved and not used; 4,096 at least
 *   3  live nodes                                  50,000,000
 *   4  occurrences of an instant                   20,000,000
 *   5  occurrences that wait in a queue            2^40
 *   6  milliseconds of an instant                  no limit
 *   7  whether the run is watched                  no. Not 0: frp_interrupt ends its calls, frp_usage counts steps; some
 *                                                  nanoseconds an instant
 *   8  bytes that watched outputs keep for frp_poll  64 MiB, and at most what 1 says. Beyond: FRP_FULL
 * Meeting one of 0 to 6 is a fault (R0104): the instant is undone, the run goes on. The start instant is one as well; a fault
 * of it ends the run. `seed` is that of the program's random numbers. */
int32_t frp_open(frp_program program, const uint64_t *limits, ptrdiff_t limit_count, uint64_t seed, frp_run *run);
/* The same, going on where a snapshot of the same program was made (frp_snapshot, of any process): in the place of frp_start,
 * whose instant does not happen again. The limits, the seed, and which outputs are watched, with what they have shown that was
 * not polled, are no part of a snapshot. The same program is the same text, byte for byte, whatever its name; for another,
 * restore with the old text and call frp_replace. FRP_UNUSABLE_SNAPSHOT: there is no run; frp_message(program) says why. */
int32_t frp_open_restored(frp_program program, const uint64_t *limits, ptrdiff_t limit_count, uint64_t seed,
                          const uint8_t *bytes, ptrdiff_t length, frp_run *run);
/* What Date.epoch gives: the moment of time 0, in seconds since 1970; 0 without it. Before frp_start; frp_restore sets it to
   what the snapshot says. */
int32_t frp_set_epoch(frp_run run, double seconds);
/* Gives an input behavior another start value, as JSON. Before frp_start. */
int32_t frp_set_start(frp_run run, const uint8_t *name, ptrdiff_t name_length, const uint8_t *text, ptrdiff_t length);
/* Runs the start instant: first of all, once. */
int32_t frp_start(frp_run run);
/* Lets time pass up to `seconds` after the start. A moment that is past does nothing. An instant that faults is undone, and time
 * goes on to the end: FRP_FAULT then says that some have (frp_faults). */
int32_t frp_advance(frp_run run, double seconds);
/* The same in whole nanoseconds, which seconds as a double are not after some weeks. */
int32_t frp_advance_nanoseconds(frp_run run, int64_t nanoseconds);
int32_t frp_now(frp_run run, double *seconds);
/* When the program next does something by itself, in seconds after the start; FRP_NOTHING if never, and after the end. */
int32_t frp_next_wake_up(frp_run run, double *seconds);
/* Runs the last instant, in which `end` occurs. After it outputs can be read and polled, and snapshots made; nothing can be sent,
 * no time passes, and tasks that are under way can no longer be ended. */
int32_t frp_finish(frp_run run);

/* Ends the call that is under way on a run that is watched, from any thread (the run is not FRP_BUSY to it): the instant faults
 * and is undone, frp_advance comes back where it is. Within about a millisecond, or when the host's function that it is in has
 * returned; where no call is under way nothing happens. Not from a signal handler. FRP_NOT_WATCHED: see frp_open. Reading, polling
 * and snapshots are not interrupted. */
int32_t frp_interrupt(frp_run run);
/* What a run has taken so far and what it holds, `count` numbers in this order: instants, faults, steps (of a run that is watched
 * or has a limit of time), bytes of values made, bytes in use (with garbage that is not collected yet), live nodes, tasks under
 * way, bytes that watched outputs keep. More are 0. */
int32_t frp_usage(frp_run run, uint64_t *figures, ptrdiff_t count);
/* The faults since the last call, a JSON object a line as in frp_diagnostics, with "definition" and "at" (seconds); the newest
 * hundred where nobody asks. */
int32_t frp_faults(frp_run run, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* Looks a port up, once; again after frp_replace, since another program has its own numbers. */
int32_t frp_input(frp_run run, const uint8_t *name, ptrdiff_t length, int32_t *port);
int32_t frp_output(frp_run run, const uint8_t *name, ptrdiff_t length, int32_t *port);

/* One occurrence of an input event, or a new value of an input behavior, now: an instant. A Float must be finite. frp_send_bool
 * takes anything but 0 as true; frp_send_unit is for events of (). Two inputs in one instant: make them one, of a record. */
int32_t frp_send_unit(frp_run run, int32_t port);
int32_t frp_send_int(frp_run run, int32_t port, int64_t value);
int32_t frp_send_bool(frp_run run, int32_t port, int32_t value);
int32_t frp_send_double(frp_run run, int32_t port, double value);
int32_t frp_send_utf8(frp_run run, int32_t port, const uint8_t *text, ptrdiff_t length);
int32_t frp_send_json(frp_run run, int32_t port, const uint8_t *text, ptrdiff_t length);

/* Many at the present time, in this order: the same as to send each, in less time. Each has an instant of its own, and all
 * that it causes happens before the next. Gives what the first that fails gives; *taken (NULL: not wanted) is how many have
 * happened before it, so `values + *taken + 1` goes on behind it. */
int32_t frp_send_ints(frp_run run, int32_t port, const int64_t *values, ptrdiff_t count, ptrdiff_t *taken);
int32_t frp_send_doubles(frp_run run, int32_t port, const double *values, ptrdiff_t count, ptrdiff_t *taken);
int32_t frp_send_bools(frp_run run, int32_t port, const uint8_t *values, ptrdiff_t count, ptrdiff_t *taken);
/* Texts, or JSON values, that stand one after the other in `bytes`; lengths[i] is that of the i-th. */
int32_t frp_send_utf8s(frp_run run, int32_t port, const uint8_t *bytes, const ptrdiff_t *lengths, ptrdiff_t count,
                       ptrdiff_t *taken);
int32_t frp_send_jsons(frp_run run, int32_t port, const uint8_t *bytes, const ptrdiff_t *lengths, ptrdiff_t count,
                       ptrdiff_t *taken);

/* The present value of an output behavior, continuous or not. Computing it may fault (FRP_FAULT). An event has no value:
 * FRP_WRONG_TYPE; it is watched. */
int32_t frp_read_int(frp_run run, int32_t port, int64_t *value);
int32_t frp_read_bool(frp_run run, int32_t port, int32_t *value);
int32_t frp_read_double(frp_run run, int32_t port, double *value);
int32_t frp_read_utf8(frp_run run, int32_t port, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);
int32_t frp_read_json(frp_run run, int32_t port, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* From now on keeps what an output shows: each occurrence of an event, each new value of a behavior; before frp_start the first
 * one, too. A continuous behavior (`time`, an integral) shows nothing of itself: it is read. Again after frp_open_restored. By
 * name: after frp_replace what has the name is watched. Watching twice is watching. */
int32_t frp_watch(frp_run run, int32_t port);
/* Ends that. What it has shown can still be polled. */
int32_t frp_unwatch(frp_run run, int32_t port);
/* What watched outputs have shown since the last call: {"at":1.5,"name":value} a line, by instant, and in one instant by when
 * they were watched. What nobody polls is kept, up to a number of bytes (frp_open): then sends, frp_advance, frp_finish and
 * frp_end_task do nothing and give FRP_FULL, so nothing is lost. One instant may go beyond that. */
int32_t frp_poll(frp_run run, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* The same, of that as many whole lines as there is room for, with their size. FRP_OK and size 0: there are no more. FRP_TOO_SMALL
 * and its size: the first line does not fit, and nothing was taken. */
int32_t frp_poll_lines(frp_run run, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* The host's tasks under way, a line each: {"task":1,"name":"Jobs.fetch","arguments":["a"]}. One that is no longer there was
 * cancelled. Numbers are given in the order in which tasks begin, and kept by snapshots: after a restore the tasks that were
 * under way are here again, to be begun again. */
int32_t frp_tasks(frp_run run, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);
/* A task has ended: with JSON of its type, or (is_ok 0) with an error's message. FRP_NOTHING: no such task is under way, since it
 * has ended already or was cancelled, which is no mistake. FRP_UNFIT: it goes on. */
int32_t frp_end_task(frp_run run, int64_t task, int32_t is_ok, const uint8_t *text, ptrdiff_t length);

/* All that a run remembers. */
int32_t frp_snapshot(frp_run run, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);
/* Goes on where a snapshot of the same program was made; also in the place of frp_start. What was watched is watched. */
int32_t frp_restore(frp_run run, const uint8_t *bytes, ptrdiff_t length);
/* Goes on with another program, keeping what has the same name, operators and types; the message says what. Where the other has
 * errors, they are the message, and the run goes on as before. Look ports up again. */
int32_t frp_replace(frp_run run, frp_program program);

#ifdef __cplusplus
}
#endif
#endif
