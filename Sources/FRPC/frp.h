/* frp: programs of events and behaviors, embedded in C.
 *
 * Programs and runs are named by handles, which are plain numbers: a handle that was released, or never given out, is
 * an error (FRP_BAD_HANDLE). A handle is used by one thread at a time; a second one gets FRP_BUSY. Programs can be
 * shared by any number of runs.
 *
 * Every call gives a status. What went wrong, in words: frp_message(handle, ...). Nothing is printed, nothing aborts,
 * and no pointer that is passed in is kept. Texts are UTF-8 with a length; no zero byte at the end is needed or written.
 *
 * Calls that give text take a buffer, its capacity, and where to put the size of the text. If the buffer is too small
 * (or NULL) they give FRP_TOO_SMALL and the size; nothing is lost, call again.
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
  FRP_PROGRAM_HAS_ERRORS = 4, /* frp_message(program) has them all */
  FRP_UNKNOWN_PORT = 5,
  FRP_WRONG_TYPE = 6,         /* the port has another type: use the JSON calls */
  FRP_UNFIT = 7,              /* the text is no value of the port's type */
  FRP_FAULT = 8,              /* the program faulted; the instant was undone, the run goes on */
  FRP_NOT_NOW = 9,            /* before frp_start, a second frp_start, or after the end: nothing was done */
  FRP_UNUSABLE_SNAPSHOT = 10,
  FRP_TOO_SMALL = 11,
  FRP_NOTHING = 12,           /* the program waits for inputs only */
  FRP_INTERRUPTED = 13        /* frp_interrupt has ended frp_advance between two instants: frp_now says where */
};

/* The version of this header, which grows when something is added, and that of the library: one that is not less has all of
 * the header. */
#define FRP_ABI_VERSION 6
int32_t frp_abi_version(void);
/* Programs and runs that have not been released. */
ptrdiff_t frp_live_handles(void);
int32_t frp_release(uint64_t handle);
/* What went wrong last, or what frp_replace did. */
int32_t frp_message(uint64_t handle, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* Compiles a text. *program is a handle even when the text has errors: they are its message. */
int32_t frp_compile(const uint8_t *name, ptrdiff_t name_length, const uint8_t *text, ptrdiff_t length,
                    frp_program *program);
/* A function of the host: which one, and its arguments as a JSON array. It puts its result as JSON into `result` and the
 * size into `*needed`; or a message, and gives anything but FRP_OK: then the instant faults. Where there is too little room
 * it gives FRP_TOO_SMALL, and is called again with more. It must be pure, is called on the thread that uses the run, and
 * cannot use that run (FRP_BUSY). */
typedef int32_t (*frp_host_function)(void *user, const uint8_t *name, ptrdiff_t name_length, const uint8_t *arguments,
                                     ptrdiff_t length, uint8_t *result, ptrdiff_t capacity, ptrdiff_t *needed);
/* frp_compile with a module of the host. `interface` declares a function a line, with its documentation above it:
 *   /// Twice n.
 *   double(n: Int): Int
 *   fetch(path: String): Task<String>
 * Those that give a Task are tasks (frp_tasks); the others are called by `function`, with `user`, for as long as the program
 * or a run of it is there. Programs write Module.double(n). */
int32_t frp_compile_with_host(const uint8_t *name, ptrdiff_t name_length, const uint8_t *text, ptrdiff_t length,
                              const uint8_t *module, ptrdiff_t module_length, const uint8_t *interface,
                              ptrdiff_t interface_length, frp_host_function function, void *user,
                              frp_program *program);
/* Either, with limits on the work of compiling, for texts of others: a program of one line can ask for any amount, and is
 * refused (E0411) where it asks for more. `limits` are numbers, 0 for the default, in this order: steps, bytes of what is
 * made, milliseconds; fewer may be given. Steps and bytes grow with the length of the text, by 100 and 2,000 for each of its
 * bytes; the same text is refused by them on every machine, by the time where the machine is slow. `module` may be NULL. */
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

/* Prepares a run. `limits` are numbers, 0 for the default, in this order: steps of an instant, bytes of values, words
 * of the stack, live nodes, occurrences of an instant, occurrences that wait in a queue, milliseconds of an instant, whether
 * the run is watched (not 0: frp_interrupt ends its calls, frp_usage counts steps; some nanoseconds an instant); fewer may be
 * given. */
int32_t frp_open(frp_program program, const uint64_t *limits, ptrdiff_t limit_count, uint64_t seed, frp_run *run);
/* The same, going on where a snapshot of the same program was made (frp_snapshot, of any process): in the place of frp_start,
 * whose instant does not happen again. The limits and the seed are no part of a snapshot. FRP_UNUSABLE_SNAPSHOT: there is no
 * run; frp_message(program) says why. */
int32_t frp_open_restored(frp_program program, const uint64_t *limits, ptrdiff_t limit_count, uint64_t seed,
                          const uint8_t *bytes, ptrdiff_t length, frp_run *run);
/* What Date.epoch gives: the moment of time 0, in seconds since 1970; 0 without it. Before frp_start; frp_restore sets it to
   what the snapshot says. */
int32_t frp_set_epoch(frp_run run, double seconds);
/* Gives an input behavior another start value, as JSON. Before frp_start. */
int32_t frp_set_start(frp_run run, const uint8_t *name, ptrdiff_t name_length, const uint8_t *text, ptrdiff_t length);
/* Runs the start instant: first of all, once. */
int32_t frp_start(frp_run run);
/* Lets time pass up to `seconds` after the start. */
int32_t frp_advance(frp_run run, double seconds);
/* The same in whole nanoseconds, which seconds as a double are not after some weeks. */
int32_t frp_advance_nanoseconds(frp_run run, int64_t nanoseconds);
int32_t frp_now(frp_run run, double *seconds);
/* When the program next does something by itself; FRP_NOTHING if never. */
int32_t frp_next_wake_up(frp_run run, double *seconds);
/* Runs the last instant. */
int32_t frp_finish(frp_run run);

/* Ends the call that is under way on a run that is watched, from any thread (the run is not FRP_BUSY to it): the instant faults
 * and is undone, frp_advance comes back where it is. Within about a millisecond; where no call is under way nothing happens. */
int32_t frp_interrupt(frp_run run);
/* What a run has taken so far and what it holds, `count` numbers in this order: instants, faults, steps (of a run that is watched
 * or has a limit of time), bytes of values made, bytes in use, live nodes, tasks under way. More are 0. */
int32_t frp_usage(frp_run run, uint64_t *figures, ptrdiff_t count);
/* The faults since the last call, a JSON object a line as in frp_diagnostics, with "definition" and "at" (seconds); the newest
 * hundred where nobody asks. */
int32_t frp_faults(frp_run run, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* Looks a port up, once. */
int32_t frp_input(frp_run run, const uint8_t *name, ptrdiff_t length, int32_t *port);
int32_t frp_output(frp_run run, const uint8_t *name, ptrdiff_t length, int32_t *port);

/* One occurrence of an input event, or a new value of an input behavior, now. */
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

/* The present value of an output behavior. */
int32_t frp_read_int(frp_run run, int32_t port, int64_t *value);
int32_t frp_read_bool(frp_run run, int32_t port, int32_t *value);
int32_t frp_read_double(frp_run run, int32_t port, double *value);
int32_t frp_read_utf8(frp_run run, int32_t port, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);
int32_t frp_read_json(frp_run run, int32_t port, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* From now on keeps what an output shows. */
int32_t frp_watch(frp_run run, int32_t port);
/* What watched outputs have shown since the last call: {"at":1.5,"name":value} a line. */
int32_t frp_poll(frp_run run, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);

/* The host's tasks under way, a line each: {"task":1,"name":"Jobs.fetch","arguments":["a"]}. One that is no longer there was
 * cancelled. */
int32_t frp_tasks(frp_run run, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);
/* A task has ended: with JSON of its type, or (is_ok 0) with an error's message. Ignored if it was cancelled. */
int32_t frp_end_task(frp_run run, int64_t task, int32_t is_ok, const uint8_t *text, ptrdiff_t length);

/* All that a run remembers. */
int32_t frp_snapshot(frp_run run, uint8_t *buffer, ptrdiff_t capacity, ptrdiff_t *needed);
/* Goes on where a snapshot of the same program was made; also in the place of frp_start. */
int32_t frp_restore(frp_run run, const uint8_t *bytes, ptrdiff_t length);
/* Goes on with another program, keeping what has the same name, operators and types; the message says what. */
int32_t frp_replace(frp_run run, frp_program program);

#ifdef __cplusplus
}
#endif
#endif
