/* What a service needs of the C library: many values in one call, start values, diagnostics and faults as data, figures, an end
 * from another thread, and to be told when its own data is no longer needed. Run by Tests/CLibrary/run. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "check.h"

static uint8_t text[8000];
static ptrdiff_t size;

static int contains(const char *part) {
  text[size] = 0;
  return strstr((char *)text, part) != NULL;
}

static frp_program compiled(const char *source) {
  frp_program program;
  if (frp_compile(TEXT("p.frp"), TEXT(source), &program)) check(FRP_PROGRAM_HAS_ERRORS, program, "compile");
  return program;
}

static int32_t input(frp_run run, const char *name) {
  int32_t port = -1;
  check(frp_input(run, TEXT(name), &port), run, name);
  return port;
}

static int64_t value(frp_run run, const char *name) {
  int32_t port = -1;
  int64_t result = 0;
  check(frp_output(run, TEXT(name), &port), run, name);
  check(frp_read_int(run, port, &result), run, name);
  return result;
}

static void batches(void) {
  frp_program program = compiled(
      "input b: Event<Bool>\ninput s: Event<String>\ninput j: Event<{n: Int}>\ninput start: Behavior<Int> = 1\n"
      "output bools = b |> fold(0, (k, x) => k * 2 + (if x then 1 else 0))\noutput letters = s |> fold(0, (k, x) => k + size(x))\n"
      "output last = j |> map(r => div(100, r.n)) |> hold(0)\noutput begun = start\n");
  frp_run run;
  ptrdiff_t taken = 0;
  const uint8_t bits[] = {1, 0, 1, 1};
  const ptrdiff_t lengths[] = {3, 0, 2}, broken[] = {3, -1};
  const char *objects = "{\"n\":5}{\"n\":0}{\"n\":2}";
  const ptrdiff_t parts[] = {7, 7, 7};
  check(frp_open(program, NULL, 0, 0, &run), program, "open");
  check(frp_set_start(run, TEXT("start"), TEXT("42")), run, "a start value");
  want(frp_set_start(run, TEXT("start"), TEXT("\"x\"")) == FRP_UNFIT, "a start value has the input's type");
  want(frp_set_start(run, TEXT("b"), TEXT("true")) == FRP_WRONG_TYPE, "an event has no start value");
  want(frp_set_start(run, TEXT("stars"), TEXT("1")) == FRP_UNKNOWN_PORT, "an input must be there");
  check(frp_start(run), run, "start");
  want(frp_set_start(run, TEXT("start"), TEXT("7")) == FRP_NOT_NOW, "not after the start");
  want(value(run, "begun") == 42, "the start value is there");
  check(frp_send_bools(run, input(run, "b"), bits, 4, &taken), run, "bools");
  want(taken == 4 && value(run, "bools") == 11, "each bool happens");
  check(frp_send_utf8s(run, input(run, "s"), (const uint8_t *)"abcde", lengths, 3, &taken), run, "texts");
  want(taken == 3 && value(run, "letters") == 5, "each text happens");
  want(frp_send_utf8s(run, input(run, "s"), (const uint8_t *)"abc", broken, 2, &taken) == FRP_BAD_ARGUMENT && taken == 1,
       "a length that is none ends them");
  want(frp_send_utf8s(run, input(run, "b"), (const uint8_t *)"abcde", lengths, 3, &taken) == FRP_WRONG_TYPE && taken == 0,
       "no texts for bools");
  want(frp_send_jsons(run, input(run, "j"), (const uint8_t *)objects, parts, 3, &taken) == FRP_FAULT,
       "one of them faults");
  want(taken == 1 && value(run, "last") == 20, "those before it have happened");
  check(frp_send_jsons(run, input(run, "j"), (const uint8_t *)objects + 14, parts + 2, 1, &taken), run, "the rest");
  want(value(run, "last") == 50, "those behind it can");
  want(frp_send_bools(run, 0, NULL, 1, NULL) == FRP_BAD_ARGUMENT, "values must be there");
  want(frp_send_jsons(run, 0, NULL, NULL, 1, NULL) == FRP_BAD_ARGUMENT, "lengths must be there");

  uint64_t figures[9] = {0};
  check(frp_faults(run, text, sizeof text - 1, &size), run, "faults");
  want(contains("\"code\":\"R0101\"") && contains("\"definition\":\"last\"") && contains("\"line\":7"), "a fault has its place");
  check(frp_faults(run, text, sizeof text - 1, &size), run, "faults");
  want(size == 0, "each is told once");
  check(frp_usage(run, figures, 9), run, "figures");
  /* The start, 4 bools, 4 texts and 3 records, one of which faults; steps are not counted; what there is no figure for is 0. */
  want(figures[0] == 12 && figures[1] == 1 && figures[2] == 0 && figures[5] > 0 && figures[8] == 0, "figures");
  want(frp_interrupt(run) == FRP_NOT_WATCHED, "a run that is not watched cannot be interrupted");
  check(frp_release(run), 0, "release");
  check(frp_release(program), 0, "release");
}

static void diagnostics(void) {
  frp_program program;
  want(frp_compile(TEXT("wrong.frp"), TEXT("output a = 1 + tru\noutput b = 2"), &program) == FRP_PROGRAM_HAS_ERRORS, "errors");
  want(frp_diagnostics(program, NULL, 0, &size) == FRP_TOO_SMALL && size > 0, "their size");
  check(frp_diagnostics(program, text, sizeof text - 1, &size), program, "diagnostics");
  want(contains("\"code\":\"E0201\"") && contains("\"file\":\"wrong.frp\"") && contains("\"line\":1,\"col\":16"), "as data");
  check(frp_release(program), 0, "release");
}

static atomic_int is_over;
static frp_run watched;

static void *watch(void *unused) {
  while (!is_over) {
    nanosleep(&(struct timespec){0, 5000000}, NULL);
    if (frp_interrupt(watched) != FRP_OK) return "gone";
  }
  return unused;
}

static void interruptions(void) {
  frp_program program = compiled(
      "input go: Event<Int>\noutput never = go |> map(x => forever(x)) |> hold(0)\noutput ticks = every(1ms) |> count\n"
      "forever(x) = forever(x + 0)\n");
  const uint64_t limits[] = {UINT64_MAX, 0, 0, 0, 0, 0, 0, 1};
  uint64_t figures[3];
  double now = 0;
  pthread_t thread;
  check(frp_open(program, limits, 8, 0, &watched), program, "open");
  check(frp_start(watched), watched, "start");
  if (pthread_create(&thread, NULL, watch, NULL)) exit(1);
  want(frp_send_int(watched, 0, 1) == FRP_FAULT, "an instant without end is ended");
  check(frp_faults(watched, text, sizeof text - 1, &size), watched, "faults");
  want(contains("R0104") && contains("interrupted"), "and says so");
  int32_t status = frp_advance(watched, 1e7);
  check(frp_now(watched, &now), watched, "now");
  want((status == FRP_INTERRUPTED || status == FRP_FAULT) && now < 1e7, "time stops where it is");
  is_over = 1;
  pthread_join(thread, NULL);
  check(frp_advance(watched, now + 1), watched, "and goes on");
  check(frp_usage(watched, figures, 3), watched, "figures");
  want(figures[0] > 100 && figures[2] > 1000, "steps are counted");
  check(frp_release(watched), 0, "release");
  want(frp_interrupt(watched) == FRP_BAD_HANDLE, "a run that is gone is none");
  check(frp_release(program), 0, "release");
}

static int destroyed;
static void destroy(void *user) { destroyed += *(int *)user; }

static int32_t twice(void *user, const uint8_t *name, ptrdiff_t name_length, const uint8_t *arguments, ptrdiff_t length,
                     uint8_t *result, ptrdiff_t capacity, ptrdiff_t *needed) {
  (void)user, (void)name, (void)name_length, (void)arguments, (void)length;
  if (capacity > 0) result[0] = '8';
  *needed = 1;
  return FRP_OK;
}

static void ownership(void) {
  static int user = 1;
  frp_program program, other = compiled("output x = 1\n");
  frp_run run;
  check(frp_compile_with_host(TEXT("p"), TEXT("input n: Event<Int>\noutput x = n |> map(k => H.twice(k)) |> hold(0)\n"), TEXT("H"),
                              TEXT("twice(n: Int): Int\n"), twice, &user, &program), program, "compile");
  want(frp_set_destroy(other, destroy) == FRP_NOTHING, "a program without functions has nothing to give back");
  check(frp_set_destroy(program, destroy), program, "destroy");
  check(frp_open(program, NULL, 0, 0, &run), program, "open");
  check(frp_start(run), run, "start");
  check(frp_release(program), 0, "release");
  check(frp_send_int(run, 0, 4), run, "send");
  want(value(run, "x") == 8 && destroyed == 0, "a run still needs it");
  check(frp_replace(run, other), run, "replace");
  check(frp_release(run), 0, "release");
  want(destroyed == 1, "it is given back once, when nobody needs it");
  check(frp_release(other), 0, "release");
}

int main(void) {
  want(frp_abi_version() >= FRP_ABI_VERSION, "the library has all of the header");
  batches();
  diagnostics();
  interruptions();
  ownership();
  want(frp_live_handles() == 0, "nothing is left");
  return 0;
}
