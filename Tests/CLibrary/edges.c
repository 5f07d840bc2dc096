/* The C library at its edges: what was wrong, in words, whichever argument it was; what nobody polls; ends that are asked for while
 * a function of the host runs; declarations without parameters; calls before the start and after the end. Run by
 * Tests/CLibrary/run. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>
#include "check.h"

static uint8_t text[1 << 16];
static ptrdiff_t size;

/* The message of a handle begins so. */
static int says(uint64_t handle, const char *begin) {
  if (frp_message(handle, text, sizeof text - 1, &size)) return 0;
  text[size] = 0;
  if (strncmp((char *)text, begin, strlen(begin)) == 0) return 1;
  fprintf(stderr, "it says: %s\n", (char *)text);
  return 0;
}

static int contains(const char *part) {
  text[size] = 0;
  return strstr((char *)text, part) != NULL;
}

static frp_program compiled(const char *source) {
  frp_program program = 0;
  check(frp_compile(TEXT("p.frp"), TEXT(source), &program), program, "compile");
  return program;
}

static frp_run opened(frp_program program, const uint64_t *limits, ptrdiff_t count) {
  frp_run run = 0;
  check(frp_open(program, limits, count, 0, &run), program, "open");
  return run;
}

static void release(frp_run run, frp_program program) {
  check(frp_release(run), run, "release");
  check(frp_release(program), program, "release");
}

/* What a function of the host does while it runs. */
static struct {
  frp_run interrupts;
  long milliseconds;
} during;

static int32_t host(void *user, const uint8_t *name, ptrdiff_t name_length, const uint8_t *arguments, ptrdiff_t length,
                    uint8_t *result, ptrdiff_t capacity, ptrdiff_t *needed) {
  (void)user, (void)name, (void)name_length, (void)arguments, (void)capacity;
  if (during.interrupts) frp_interrupt(during.interrupts);
  if (during.milliseconds) nanosleep(&(struct timespec){0, during.milliseconds * 1000000}, NULL);
  result[0] = (uint8_t)('0' + length);
  *needed = 1;
  return FRP_OK;
}

static frp_program hosted(const char *source, const char *interface) {
  frp_program program = 0;
  check(frp_compile_with_host(TEXT("p.frp"), TEXT(source), TEXT("H"), TEXT(interface), host, NULL, &program), program, "compile");
  return program;
}

static int64_t value(frp_run run, int32_t port) {
  int64_t number = -1;
  check(frp_read_int(run, port, &number), run, "read");
  return number;
}

static void no_parameters(void) {
  frp_program program = hosted(
      "input n: Event<Int>\nq = n |> perform(All, k => H.ping())\noutput r = q.results |> filterMap(ok) |> hold(0)\n"
      "output x = H.f()\noutput y = H.name\n", "/// Pings.\nping(): Task<Int>\nf(): Int\nname: Int\n");
  frp_run run = opened(program, NULL, 0);
  check(frp_start(run), run, "start");
  want(value(run, 1) == 2 && value(run, 2) == 2, "a function without parameters gets an empty list of arguments");
  check(frp_send_int(run, 0, 1), run, "send");
  check(frp_tasks(run, text, sizeof text - 1, &size), run, "tasks");
  want(contains("\"name\":\"H.ping\",\"arguments\":[]}"), "and so does a task");
  check(frp_end_task(run, 1, 1, TEXT("7")), run, "end");
  want(value(run, 0) == 7, "which ends like any other");
  release(run, program);
}

static void ends_while_the_host_runs(void) {
  frp_program program = hosted(
      "input n: Event<Int>\noutput v = n |> map(k => H.f(k)) |> hold(0)\noutput k = n |> count\noutput t = every(1s) |> map(_ => H.f(1)) |> count\n",
      "f(n: Int): Int\n");
  const uint64_t watched[] = {0, 0, 0, 0, 0, 0, 0, 1}, timed[] = {0, 0, 0, 0, 0, 0, 20};
  for (int i = 0; i < 2; i++) {
    frp_run run = i == 0 ? opened(program, watched, 8) : opened(program, timed, 7);
    check(frp_start(run), run, "start");
    check(frp_send_int(run, 0, 1), run, "send");
    during.interrupts = i == 0 ? run : 0, during.milliseconds = i == 0 ? 0 : 40;
    want(frp_send_int(run, 0, 22) == FRP_FAULT && value(run, 0) == 3 && value(run, 1) == 1, "the instant is undone");
    want(frp_send_ints(run, 0, (const int64_t[]){22, 5}, 2, &size) == FRP_FAULT && size == 0, "and so it is among many");
    want(frp_advance(run, 1.5) == FRP_FAULT && value(run, 2) == 0, "and where time passes");
    during.interrupts = 0, during.milliseconds = 0;
    check(frp_faults(run, text, sizeof text - 1, &size), run, "faults");
    want(contains("R0104") && contains(i == 0 ? "interrupted" : "time"), "which is said");
    check(frp_send_int(run, 0, 22), run, "send");
    want(value(run, 0) == 4 && value(run, 1) == 2, "the run goes on");
    check(frp_release(run), run, "release");
  }
  check(frp_release(program), program, "release");
}

/* Lines that nobody polls stop what would add to them, and nothing is lost. */
static void nobody_polls(void) {
  frp_program program = compiled("input n: Event<Int>\noutput e = n\noutput t = every(1s) |> count\n");
  const uint64_t limits[] = {0, 0, 0, 0, 0, 0, 0, 0, 10000};
  frp_run run = opened(program, limits, 9);
  int64_t sent = 0, numbers[1000], seen = 0;
  uint64_t figures[8];
  double now = 0;
  ptrdiff_t taken = 0;
  for (int i = 0; i < 1000; i++) numbers[i] = i;
  check(frp_watch(run, 0), run, "watch");
  check(frp_start(run), run, "start");
  while (frp_send_int(run, 0, sent) == FRP_OK) sent++;
  want(sent > 50 && sent < 200 && says(run, "watched outputs have shown"), "what is kept is bounded, in words");
  want(frp_send_json(run, 0, TEXT("1")) == FRP_FULL && frp_advance(run, 1) == FRP_FULL && frp_finish(run) == FRP_FULL, "by all calls");
  want(frp_send_ints(run, 0, numbers, 1000, &taken) == FRP_FULL && taken == 0, "of many, too");
  check(frp_usage(run, figures, 8), run, "figures");
  want(figures[7] >= 10000 && figures[7] < 11000, "the figures say how much is kept");
  /* Part by part: whole lines, in order. */
  want(frp_poll_lines(run, text, 5, &size) == FRP_TOO_SMALL && size > 5 && size < 30, "a line does not fit");
  while (frp_poll_lines(run, text, 100, &size) == FRP_OK && size > 0) {
    want(size <= 100 && text[size - 1] == '\n', "whole lines");
    for (char *line = (char *)text; line && line < (char *)text + size && *line; seen++) {
      char wanted[40];
      int length = snprintf(wanted, sizeof wanted, "{\"at\":0.0,\"e\":%lld}\n", (long long)seen);
      if (strncmp(line, wanted, (size_t)length)) want(0, "in order");
      line += length;
    }
  }
  want(seen == sent, "each once");
  want(frp_send_ints(run, 0, numbers, 1000, &taken) == FRP_FULL && taken > 50 && taken < 200, "then it goes on, up to the limit");
  check(frp_poll(run, text, sizeof text - 1, &size), run, "poll");
  check(frp_unwatch(run, 0), run, "no longer watched");
  check(frp_send_ints(run, 0, numbers, 1000, &taken), run, "then nothing is kept");
  check(frp_watch(run, 1), run, "watch");
  want(frp_advance(run, 1e6) == FRP_FULL && !frp_now(run, &now) && now > 50 && now < 200, "time stops where there is no room");
  want(frp_poll(run, text, sizeof text, NULL) == FRP_BAD_ARGUMENT && says(run, "`needed` is NULL"), "nobody would know the size");
  check(frp_unwatch(run, 1), run, "no longer watched");
  check(frp_poll(run, text, sizeof text - 1, &size), run, "poll");
  want(contains("{\"at\":1.0,\"t\":1}\n{\"at\":2.0,\"t\":2}\n"), "what it has shown before can be polled");
  check(frp_advance(run, 1e4), run, "time passes");
  check(frp_poll(run, text, sizeof text - 1, &size), run, "poll");
  want(size == 0, "and it shows nothing more");
  release(run, program);
}

/* Another program may not have the output: what it has shown is not lost. */
static void replaced_while_watched(void) {
  frp_program program = compiled("input n: Event<Int>\noutput e = n\noutput f = n\n");
  frp_program other = compiled("input n: Event<Int>\noutput f = n\n");
  frp_run run = opened(program, NULL, 0);
  check(frp_watch(run, 0), run, "watch");
  check(frp_start(run), run, "start");
  check(frp_send_int(run, 0, 1), run, "send");
  check(frp_replace(run, other), run, "replace");
  check(frp_send_int(run, 0, 2), run, "send");
  check(frp_replace(run, program), run, "replace");
  check(frp_send_int(run, 0, 3), run, "send");
  check(frp_poll(run, text, sizeof text - 1, &size), run, "poll");
  want(contains("\"e\":1}\n{\"at\":0.0,\"e\":3}\n"), "lines outlive their output, which is watched where it is there again");
  release(run, program);
  check(frp_release(other), other, "release");
}

/* Where time stops for want of room, that is what is said, also behind a fault. */
static void full_after_a_fault(void) {
  frp_program program = compiled("output t = every(1s) |> count\noutput f = every(1s) |> map(_ => div(1, 0))\n");
  const uint64_t limits[] = {0, 0, 0, 0, 0, 0, 0, 0, 10000};
  frp_run run = opened(program, limits, 9);
  check(frp_watch(run, 0), run, "watch");
  check(frp_start(run), run, "start");
  want(frp_advance(run, 1) == FRP_FAULT, "it faults each second, and shows nothing");
  check(frp_release(run), run, "release");
  check(frp_release(program), program, "release");
  program = compiled("output t = every(1s) |> count\noutput f = after(1500ms) |> map(_ => div(1, 0))\n");
  run = opened(program, limits, 9);
  check(frp_watch(run, 0), run, "watch");
  check(frp_start(run), run, "start");
  want(frp_advance(run, 1e6) == FRP_FULL, "the fault is not what is said");
  check(frp_faults(run, text, sizeof text - 1, &size), run, "faults");
  want(contains("R0101"), "it is among the faults");
  release(run, program);
}

/* The memory of a run bounds its lines, too. */
static void memory_bounds_lines(void) {
  frp_program program = compiled("input n: Event<Int>\noutput e = n\n");
  const uint64_t limits[] = {0, 1 << 16};
  frp_run run = opened(program, limits, 2);
  int sent = 0;
  check(frp_watch(run, 0), run, "watch");
  check(frp_start(run), run, "start");
  while (sent < 100000 && frp_send_int(run, 0, sent) == FRP_OK) sent++;
  want(sent > 500 && sent < 2000, "a run of 64 KiB keeps no more");
  release(run, program);
}

static void words_of_programs(void) {
  const char *wrong = "output x = y\n";
  frp_program bad = 7, good = compiled("input n: Event<Int>\noutput s = n |> fold(0, (+))\n");
  frp_run run = 7;
  const uint64_t limits[10] = {0};
  want(frp_compile(TEXT("p"), TEXT(wrong), &bad) == FRP_PROGRAM_HAS_ERRORS && says(bad, "error[E0201]"), "errors");
  want(frp_open(bad, NULL, 0, 0, &run) == FRP_PROGRAM_HAS_ERRORS && run == 0, "no run, and no handle");
  want(says(bad, "error[E0201]"), "the program still says why");
  want(frp_open(good, limits, 10, 0, &run) == FRP_BAD_ARGUMENT && says(good, "10 limits are given"), "surplus limits");
  want(frp_open(good, limits, -1, 0, &run) == FRP_BAD_ARGUMENT && says(good, "limits are NULL"), "less than none");
  want(frp_open(good, limits, 9, 0, NULL) == FRP_BAD_ARGUMENT && says(good, "there is no place"), "no place for a run");
  want(frp_open_restored(good, NULL, 0, 0, NULL, 4, &run) == FRP_BAD_ARGUMENT && says(good, "the snapshot is NULL"), "no snapshot");
  want(frp_start(good) == FRP_BAD_HANDLE && says(good, "this handle is a program"), "a program is no run");
  frp_program importing = 0;
  want(frp_compile(TEXT("Tests/Golden/p.frp"), TEXT("import Geo\noutput x = 1\n"), &importing) == FRP_PROGRAM_HAS_ERRORS &&
           says(importing, "error[E0702]: the module `Geo` is not found"), "nothing is read from the disk");
  check(frp_release(importing), importing, "release");
  run = opened(good, NULL, 0);
  check(frp_start(run), run, "start");
  want(frp_replace(run, bad) == FRP_PROGRAM_HAS_ERRORS && says(run, "error[E0201]"), "the run says what is wrong with the program");
  want(says(bad, "error[E0201]"), "and so does that");
  want(frp_replace(run, 12345) == FRP_BAD_HANDLE && says(run, "there is no program 12345"), "no program");
  want(frp_replace(run, run) == FRP_BUSY && says(run, "the program is in use"), "nor is the run one");
  want(frp_ports(run, text, sizeof text, &size) == FRP_BAD_HANDLE && says(run, "this handle is a run"), "a run is no program");
  want(frp_interrupt(run) == FRP_NOT_WATCHED && says(run, "the run was opened without"), "a run that is not watched");
  want(frp_interrupt(12345) == FRP_BAD_HANDLE, "is not one that is not there");
  release(run, good);
  check(frp_release(bad), bad, "release");
  bad = 7;
  want(frp_compile(TEXT("p"), NULL, 5, &bad) == FRP_BAD_ARGUMENT && bad == 0, "no text, no handle");
  bad = 7;
  want(frp_compile_with_limits(TEXT("p"), TEXT(wrong), limits, 4, NULL, 0, NULL, 0, NULL, NULL, &bad) == FRP_BAD_ARGUMENT && bad == 0,
       "surplus limits of compiling");
}

/* What is wrong with an argument is said, by every call, in the place of what was said before. */
static void wrong_arguments(void) {
  frp_program program = compiled(
      "input n: Event<Int>\ninput s: Event<String>\ninput f: Event<Float>\noutput i = n |> hold(0)\noutput t = s |> hold(\"\")\n");
  frp_run run = opened(program, NULL, 0);
  int32_t port = 5;
  int64_t one = 1;
  const uint8_t *bytes = (const uint8_t *)"ab\xff";
  check(frp_start(run), run, "start");
#define REFUSED(call, words) \
  want(frp_input(run, TEXT("zz"), &port) == FRP_UNKNOWN_PORT && port == 5, "another sentence before"); \
  want((call) == FRP_BAD_ARGUMENT && says(run, words), #call)
  REFUSED(frp_input(run, TEXT("n"), NULL), "there is no place for the port");
  REFUSED(frp_input(run, NULL, 3, &port), "the name is NULL");
  REFUSED(frp_output(run, bytes, -1, &port), "the name has the length -1");
  REFUSED(frp_output(run, bytes, 3, &port), "the name is no UTF-8");
  REFUSED(frp_send_utf8(run, 1, NULL, 2), "the text is NULL");
  REFUSED(frp_send_json(run, 0, bytes, -2), "the text has the length -2");
  REFUSED(frp_send_ints(run, 0, NULL, 1, NULL), "what is to be sent is NULL");
  REFUSED(frp_send_doubles(run, 2, NULL, 1, NULL), "what is to be sent is NULL");
  REFUSED(frp_send_ints(run, 0, &one, -1, NULL), "-1 are to be sent");
  REFUSED(frp_send_jsons(run, 0, bytes, NULL, 1, NULL), "what is to be sent is NULL");
  REFUSED(frp_end_task(run, 1, 1, NULL, 7), "the text is NULL");
  REFUSED(frp_read_int(run, 0, NULL), "there is no place for the value");
  REFUSED(frp_read_json(run, 0, text, -1, &size), "the capacity is -1");
  REFUSED(frp_read_utf8(run, 1, text, -1, &size), "the capacity is -1");
  REFUSED(frp_now(run, NULL), "there is no place for the seconds");
  REFUSED(frp_next_wake_up(run, NULL), "there is no place for the seconds");
  REFUSED(frp_usage(run, NULL, 3), "figures are NULL");
  REFUSED(frp_faults(run, text, sizeof text, NULL), "`needed` is NULL");
  REFUSED(frp_poll_lines(run, text, -1, &size), "the capacity is -1");
  REFUSED(frp_tasks(run, text, -1, &size), "the capacity is -1");
  REFUSED(frp_snapshot(run, text, -1, &size), "the capacity is -1");
  REFUSED(frp_restore(run, NULL, 4), "the snapshot is NULL");
  want(frp_message(run, text, -1, &size) == FRP_BAD_ARGUMENT && says(run, "the snapshot is NULL"), "a message stays");
  want(frp_send_utf8(run, 1, bytes, 3) == FRP_UNFIT && says(run, "the text is no UTF-8"), "what is no UTF-8 is no value");
  check(frp_send_utf8(run, 1, NULL, 0), run, "NULL of length 0 is the empty text");
  check(frp_read_utf8(run, 1, text, sizeof text, NULL), run, "`needed` may be NULL where a call can be made again");
  release(run, program);
}

static void before_and_after(void) {
  frp_program program = hosted("input n: Event<Int>\nq = n |> perform(All, k => H.go(k))\noutput r = q.results |> count\n",
                               "go(n: Int): Task<Int>\n");
  frp_run run = opened(program, NULL, 0);
  double seconds = -1;
  want(frp_next_wake_up(run, &seconds) == FRP_NOT_NOW && says(run, "the run has not started"), "no wake-up before the start");
  want(frp_end_task(run, 1, 1, TEXT("1")) == FRP_NOT_NOW, "and no task");
  check(frp_now(run, &seconds), run, "the time is 0");
  want(seconds == 0, "before the start");
  check(frp_start(run), run, "start");
  want(frp_next_wake_up(run, &seconds) == FRP_NOTHING && says(run, "the run has not started"), "only inputs are waited for");
  for (int i = 0; i < 2; i++) check(frp_send_int(run, 0, i), run, "send");
  want(frp_end_task(run, 7, 1, TEXT("1")) == FRP_NOTHING && says(run, "no task 7"), "a task that never was");
  want(frp_end_task(run, -1, 1, TEXT("1")) == FRP_NOTHING && frp_end_task(run, 0, 0, NULL, 0) == FRP_NOTHING, "nor was one below 1");
  want(frp_end_task(run, 1, 1, TEXT("\"a\"")) == FRP_UNFIT, "what does not fit ends nothing");
  check(frp_end_task(run, 1, 1, TEXT("5")), run, "end");
  want(frp_end_task(run, 1, 1, TEXT("6")) == FRP_NOTHING, "it has ended");
  check(frp_finish(run), run, "finish");
  want(frp_end_task(run, 2, 1, TEXT("6")) == FRP_NOT_NOW && says(run, "the run is over"), "nothing ends after the end");
  want(frp_next_wake_up(run, &seconds) == FRP_NOTHING && value(run, 0) == 1, "outputs can be read");
  release(run, program);
}

int main(void) {
  no_parameters();
  ends_while_the_host_runs();
  nobody_polls();
  replaced_while_watched();
  full_after_a_fault();
  memory_bounds_lines();
  words_of_programs();
  wrong_arguments();
  before_and_after();
  want(frp_live_handles() == 0, "nothing is left");
  return 0;
}
