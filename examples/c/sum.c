/* The sum of the whole numbers on standard input, a line each:
 *   gcc sum.c $(pkg-config --cflags --libs frp) -o sum && printf '3\n4\n' | ./sum */
#include <frp.h>
#include <stdio.h>
#include <string.h>

#define TEXT(text) (const uint8_t *)(text), (ptrdiff_t)strlen(text)

/* What the last call on a handle had to say. */
static int failed(uint64_t handle) {
  uint8_t message[2000];
  ptrdiff_t size = 0;
  if (frp_message(handle, message, sizeof message, &size) == FRP_OK) fprintf(stderr, "%.*s\n", (int)size, message);
  return 1;
}

int main(void) {
  frp_program program;
  frp_run run;
  int32_t n, total;
  const char *source = "input n: Event<Int>\n"
                       "output total = n |> fold(0, (+))\n";

  if (frp_compile(TEXT("sum.frp"), TEXT(source), &program)) return failed(program);
  if (frp_open(program, NULL, 0, 0, &run)) return failed(program);
  if (frp_input(run, TEXT("n"), &n) || frp_output(run, TEXT("total"), &total) || frp_start(run)) return failed(run);

  char line[100];
  while (fgets(line, sizeof line, stdin)) {
    int64_t sum;
    if (frp_send_json(run, n, (const uint8_t *)line, (ptrdiff_t)strcspn(line, "\n"))) {
      failed(run); /* not a whole number, say: the run goes on */
    } else if (frp_read_int(run, total, &sum) == FRP_OK) {
      printf("%lld\n", (long long)sum);
    }
  }
  frp_release(run);
  frp_release(program);
}
