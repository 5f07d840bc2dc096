/* Calls of the C library in any order, each with what it must give: before the start and after the end nothing is done, and
 * that is said, in words. Run by Tests/CLibrary/run. */
#include <string.h>
#include "check.h"

enum { BEFORE, RUNNING, OVER };

static frp_program program;
static uint64_t state = 88172645463325252u;

static int roll(int count) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (int)(state % (uint64_t)count);
}

/* A call that is not possible now says so, with words. */
static void refused(int32_t status, frp_run run, const char *what) {
  ptrdiff_t size = 0;
  want(status == FRP_NOT_NOW, what);
  frp_message(run, NULL, 0, &size);
  want(size > 0, "a refusal has words");
}

/* A text that asks for more work than the limits allow is refused with words, like any other mistake. */
static void limited(void) {
  const char *text = "f(n, e) = if n == 0 then e else merge(f(n - 1, e), f(n - 1, e))\noutput x = f(9, every(1s))\n";
  const char *host = "H", *interface = "fetch(path: String): Task<String>\n";
  const uint64_t few[] = {2000}, little[] = {0, 1 << 16}, enough[] = {0, 0, 60000};
  uint8_t words[8000] = {0};
  ptrdiff_t size = 0;
  frp_program made;
  const struct { const uint64_t *limits; ptrdiff_t count; int refused; } all[] = {
      {few, 1, 1}, {little, 2, 1}, {enough, 3, 0}, {NULL, 0, 0}};
  for (int i = 0; i < 8; i++) {
    const uint8_t *module = i % 2 ? (const uint8_t *)host : NULL;
    int32_t status = frp_compile_with_limits(TEXT("p"), TEXT(text), all[i / 2].limits, all[i / 2].count, module, i % 2,
                                             TEXT(interface), NULL, NULL, &made);
    want(status == (all[i / 2].refused ? FRP_PROGRAM_HAS_ERRORS : FRP_OK), "limits are kept");
    if (all[i / 2].refused) {
      check(frp_message(made, words, sizeof words - 1, &size), made, "message");
      want(strstr((char *)words, "E0411") != NULL, "the message says so");
    }
    check(frp_release(made), 0, "release");
  }
  want(frp_compile_with_limits(TEXT("p"), TEXT(text), NULL, 1, NULL, 0, NULL, 0, NULL, NULL, &made) == FRP_BAD_ARGUMENT,
       "limits that are not there are refused");
}

int main(void) {
  limited();
  const char *text =
      "input n: Event<Int>\ninput s: Behavior<String> = \"a\"\noutput total = n |> fold(0, (+))\noutput text = s\n"
      "output late = n |> delay(1s) |> fold(0, (+))\noutput moment = Date.epoch\n";
  if (frp_compile(TEXT("p"), TEXT(text), &program)) return 1;
  int refusals = 0, sends = 0, restored = 0;
  for (int round = 0; round < 500; round++) {
    frp_run run, none = 0;
    int32_t n, s, total, shown, moment;
    int64_t sum = 0, value = 0, kept_sum = 0;
    int phase = BEFORE, kept_phase = BEFORE;
    uint8_t kept[4096], buffer[256];
    ptrdiff_t kept_size = 0, size = 0;
    check(frp_open(program, NULL, 0, 0, &run), program, "open");
    check(frp_input(run, TEXT("n"), &n), run, "input");
    check(frp_input(run, TEXT("s"), &s), run, "input");
    check(frp_output(run, TEXT("total"), &total), run, "output");
    check(frp_output(run, TEXT("text"), &shown), run, "output");
    check(frp_set_epoch(run, 1767323045.6), run, "the moment of time 0");
    for (int call = 0; call < 15; call++) {
      int32_t status;
      switch (roll(10)) {
        case 0:
          status = frp_start(run);
          if (phase == BEFORE) {
            double seconds = 0;
            check(status, run, "start");
            phase = RUNNING;
            check(frp_output(run, TEXT("moment"), &moment), run, "output");
            check(frp_read_double(run, moment, &seconds), run, "read");
            want(seconds == 1767323045.6, "Date.epoch is what the host says");
          }
          else refused(status, run, "a second start");
          refused(frp_set_epoch(run, 0), run, "another moment of time 0, after the start");
          continue;
        case 1:
          status = frp_finish(run);
          if (phase == RUNNING) check(status, run, "finish"), phase = OVER;
          else refused(status, run, "a finish outside of the run");
          continue;
        case 2:
          status = roll(2) ? frp_advance(run, call) : frp_advance_nanoseconds(run, call * INT64_C(1000000000));
          if (phase == RUNNING) check(status, run, "advance");
          else refused(status, run, "time outside of the run");
          continue;
        case 3: status = frp_send_int(run, n, 2); break;
        case 4: status = frp_send_json(run, n, TEXT("2")); break;
        case 5:
          status = frp_send_utf8(run, s, TEXT("b"));
          if (phase == RUNNING) check(status, run, "send a text");
          else refused(status, run, "a text outside of the run");
          continue;
        case 6:
          status = frp_read_int(run, total, &value);
          if (phase == BEFORE) refused(status, run, "a value before the start");
          else want(status == FRP_OK && value == sum, "the value is what was sent");
          continue;
        case 7:
          status = frp_snapshot(run, kept, sizeof kept, &size);
          if (phase == BEFORE) { refused(status, run, "a snapshot before the start"); continue; }
          check(status, run, "snapshot");
          kept_size = size, kept_sum = sum, kept_phase = phase;
          continue;
        case 8:
          if (kept_size == 0) continue;
          if (roll(2)) {
            check(frp_release(run), 0, "release");
            check(frp_open_restored(program, NULL, 0, 0, kept, kept_size, &run), program, "open what was kept");
            restored++;
          } else {
            check(frp_restore(run, kept, kept_size), run, "restore");
          }
          /* One that is damaged makes no run, and says so. */
          kept[kept_size / 2] ^= 1;
          want(frp_open_restored(program, NULL, 0, 0, kept, kept_size, &none) == FRP_UNUSABLE_SNAPSHOT && none == 0,
               "what is damaged is refused");
          kept[kept_size / 2] ^= 1;
          want(frp_message(program, NULL, 0, &size) == FRP_TOO_SMALL && size > 0, "in words");
          sum = kept_sum, phase = kept_phase;
          continue;
        default:
          status = frp_read_utf8(run, shown, buffer, sizeof buffer, &size);
          if (phase == BEFORE) refused(status, run, "a text before the start");
          else check(status, run, "read a text");
          continue;
      }
      if (phase == RUNNING) check(status, run, "send"), sum += 2, sends++;
      else refused(status, run, "a value outside of the run"), refusals++;
    }
    check(frp_release(run), 0, "release");
  }
  frp_release(program);
  want(refusals > 300 && sends > 300 && restored > 50, "all of it happens");
  want(frp_live_handles() == 0, "nothing is left");
  printf("%d sent, %d refused\n", sends, refusals);
  return 0;
}
