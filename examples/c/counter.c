/* A C program that embeds frp: compiles a text, sends numbers, reads what they make, goes on from a snapshot, and
 * changes the program while it runs. Built and run by Tests/CLibrary/run. */
#include "check.h"

/* Numbers that lie in memory go in one call; where one of them cannot be taken, the rest goes on behind it. */
static void many(void) {
  frp_program program = 0;
  frp_run run = 0;
  int32_t n, sum;
  int64_t numbers[1000], value = 0;
  ptrdiff_t taken = 0, all = 0;
  const char *source = "input n: Event<Int>\noutput sum = n |> map(x => div(720, x - 500)) |> fold(0, (+))\n";
  double numbers_of_another_type[] = {1.0};

  check(frp_compile(TEXT("many.frp"), TEXT(source), &program), program, "compile");
  check(frp_open(program, NULL, 0, 0, &run), program, "open");
  check(frp_input(run, TEXT("n"), &n), run, "input");
  check(frp_output(run, TEXT("sum"), &sum), run, "output");
  for (int i = 0; i < 1000; i++) numbers[i] = i;
  want(frp_send_ints(run, n, numbers, 1000, &taken) == FRP_NOT_NOW && taken == 0, "none is taken before the start");
  check(frp_start(run), run, "start");
  want(frp_send_ints(run, n, numbers, 1000, &taken) == FRP_FAULT && taken == 500, "500 are taken, then one faults");
  all = taken + 1;
  check(frp_send_ints(run, n, numbers + all, 1000 - all, &taken), run, "send");
  want(all + taken == 1000, "the rest goes on behind it");
  want(frp_send_ints(run, n, NULL, 0, NULL) == FRP_OK, "none is nothing");
  want(frp_send_ints(run, n, NULL, 3, NULL) == FRP_BAD_ARGUMENT, "nor from nowhere");
  want(frp_send_doubles(run, n, numbers_of_another_type, 1, &taken) == FRP_WRONG_TYPE, "of the port's type");
  check(frp_read_int(run, sum, &value), run, "read");
  printf("the sum of many is %lld\n", (long long)value);
  check(frp_release(run), run, "release");
  check(frp_release(program), program, "release");
}

static void once(void) {
  frp_program program, changed, broken;
  frp_run run, copy;
  int32_t n, total, label, late;
  int64_t value = 0;
  double seconds = 0;
  uint8_t text[4000], bytes[4000];
  ptrdiff_t size = 0, length = 0;
  const char *source = "input n: Event<Int>\n"
                       "output total = n |> map(x => x * 2) |> filter(x => x > 2) |> fold(0, (+))\n"
                       "output label = \"sum {total}\"\n"
                       "output late = n |> delay(1s)\n";

  want(frp_compile(TEXT("bad.frp"), TEXT("output x = y"), &broken) == FRP_PROGRAM_HAS_ERRORS, "errors are told");
  want(frp_message(broken, text, sizeof text, &size) == FRP_OK && size > 20, "in words");
  want(frp_open(broken, NULL, 0, 0, &run) == FRP_PROGRAM_HAS_ERRORS, "and there is no run");

  check(frp_compile(TEXT("counter.frp"), TEXT(source), &program), program, "compile");
  uint64_t limits[] = {1000000, 1 << 24, 1 << 14};
  check(frp_open(program, limits, 3, 0, &run), program, "open");
  check(frp_input(run, TEXT("n"), &n), run, "input");
  check(frp_output(run, TEXT("total"), &total), run, "output");
  check(frp_output(run, TEXT("label"), &label), run, "output");
  check(frp_output(run, TEXT("late"), &late), run, "output");
  want(frp_output(run, TEXT("totl"), &late) == FRP_UNKNOWN_PORT, "unknown ports are told");
  check(frp_watch(run, late), run, "watch");
  want(frp_read_int(run, total, &value) == FRP_NOT_NOW, "nothing before the start");
  check(frp_start(run), run, "start");
  for (int64_t i = 1; i <= 5; i++) check(frp_send_int(run, n, i), run, "send");
  want(frp_send_double(run, n, 1.5) == FRP_WRONG_TYPE, "types are checked");
  many();
  want(frp_send_json(run, n, TEXT("\"one\"")) == FRP_UNFIT, "so is JSON");
  check(frp_read_int(run, total, &value), run, "read");
  want(value == 28, "the sum is 28");
  check(frp_read_utf8(run, label, text, sizeof text, &size), run, "read");
  want(size == 6 && memcmp(text, "sum 28", 6) == 0, "so says the label");
  want(frp_read_utf8(run, label, text, 2, &size) == FRP_TOO_SMALL && size == 6, "small buffers are told");
  check(frp_next_wake_up(run, &seconds), run, "wake up");
  want(seconds == 1.0, "it wakes up at 1 s");

  check(frp_snapshot(run, bytes, sizeof bytes, &length), run, "snapshot");
  check(frp_open(program, limits, 3, 0, &copy), program, "open");
  check(frp_restore(copy, bytes, length), copy, "restore");
  check(frp_send_int(copy, n, 10), copy, "send");
  check(frp_read_int(copy, total, &value), copy, "read");
  want(value == 48, "a snapshot goes on");
  bytes[length / 2] ^= 1;
  want(frp_restore(copy, bytes, length) == FRP_UNUSABLE_SNAPSHOT, "damage is seen");

  check(frp_advance(run, 2), run, "advance");
  check(frp_poll(run, text, sizeof text, &size), run, "poll");
  want(size > 0 && memcmp(text, "{\"at\":1.0,\"late\":1}\n", 20) == 0, "what was delayed is there");

  const char *other = "input n: Event<Int>\n"
                      "output total = n |> map(x => x * 3) |> filter(x => x > 2) |> fold(0, (+))\n";
  check(frp_compile(TEXT("counter.frp"), TEXT(other), &changed), changed, "compile");
  check(frp_replace(run, changed), run, "replace");
  check(frp_input(run, TEXT("n"), &n), run, "input");
  check(frp_output(run, TEXT("total"), &total), run, "output");
  check(frp_send_int(run, n, 1), run, "send");
  check(frp_read_int(run, total, &value), run, "read");
  want(value == 31, "another program goes on with the sum");

  check(frp_release(run), run, "release");
  want(frp_send_int(run, n, 1) == FRP_BAD_HANDLE, "a released handle is no handle");
  want(frp_send_int(12345, n, 1) == FRP_BAD_HANDLE, "nor is any number");
  check(frp_release(copy), copy, "release");
  check(frp_release(program), program, "release");
  check(frp_release(changed), changed, "release");
  check(frp_release(broken), broken, "release");
  want(frp_live_handles() == 0, "everything is given back");
}

/* A number as argument says how many times: what is in use at the end must not depend on it. */
int main(int count, char **words) {
  for (int rounds = count > 1 ? atoi(words[1]) : 1; rounds > 0; rounds--) once();
  return 0;
}
