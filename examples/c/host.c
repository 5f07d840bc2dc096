/* A C program that gives an frp program functions and tasks of its own. Built and run by Tests/CLibrary/run. */
#include "check.h"

struct prices {
  int calls;
  double rate;
  frp_run run;
};

/* Prices.convert(amount): the amount at the rate; refuses what is below 0. */
static int32_t call(void *user, const uint8_t *name, ptrdiff_t name_length, const uint8_t *arguments, ptrdiff_t length,
                    uint8_t *result, ptrdiff_t capacity, ptrdiff_t *needed) {
  struct prices *prices = user;
  char text[64];
  double amount = 0;
  prices->calls++;
  snprintf(text, sizeof text, "%.*s", (int)length, (const char *)arguments);
  sscanf(text, "[%lf]", &amount);
  if (name_length != 7 || memcmp(name, "convert", 7) != 0) return FRP_BAD_ARGUMENT;
  if (frp_start(prices->run) != FRP_BUSY) return FRP_BAD_ARGUMENT;
  int size = amount < 0 ? snprintf(text, sizeof text, "a price below 0")
                        : snprintf(text, sizeof text, "%.6f", amount * prices->rate);
  *needed = size;
  if (size > capacity) return FRP_TOO_SMALL;
  memcpy(result, text, (size_t)size);
  return amount < 0 ? FRP_UNFIT : FRP_OK;
}

static void once(void) {
  struct prices prices = {0, 1.25, 0};
  frp_program program, wrong;
  frp_run run;
  int32_t amount, price, offer;
  double value = 0;
  uint8_t text[4000];
  ptrdiff_t size = 0;
  const char *interface = "/// An amount at today's rate.\n"
                          "convert(amount: Float): Float\n"
                          "/// Asks a dealer.\n"
                          "ask(item: String): Task<Float>\n";
  const char *source = "input amount: Event<Float>\n"
                       "output price = amount |> map(a => Prices.convert(a)) |> hold(0.0)\n"
                       "asked = amount |> perform(Latest, _ => Prices.ask(\"tea\"))\n"
                       "output offer = asked.results |> filterMap(ok) |> hold(0.0)\n";

  want(frp_compile_with_host(TEXT("wrong.frp"), TEXT("output x = Prices.convert(\"a\")"), TEXT("Prices"), TEXT(interface),
                             call, &prices, &wrong) == FRP_PROGRAM_HAS_ERRORS,
       "types are checked against the use");
  check(frp_compile_with_host(TEXT("prices.frp"), TEXT(source), TEXT("Prices"), TEXT(interface), call, &prices, &program),
        program, "compile");
  check(frp_open(program, NULL, 0, 0, &run), program, "open");
  prices.run = run;
  check(frp_start(run), run, "start");
  check(frp_input(run, TEXT("amount"), &amount), run, "input");
  check(frp_output(run, TEXT("price"), &price), run, "output");
  check(frp_output(run, TEXT("offer"), &offer), run, "output");
  check(frp_send_double(run, amount, 8), run, "send");
  check(frp_read_double(run, price, &value), run, "read");
  want(value == 10.0 && prices.calls == 1, "the function was called");
  want(frp_send_double(run, amount, -1) == FRP_FAULT, "its failure is a fault");
  check(frp_message(run, text, sizeof text, &size), run, "message");
  want(strstr((char *)text, "a price below 0") != NULL, "with its words");
  check(frp_tasks(run, text, sizeof text, &size), run, "tasks");
  want(size > 0 && memcmp(text, "{\"task\":1,\"name\":\"Prices.ask\",\"arguments\":[\"tea\"]}\n", (size_t)size) == 0,
       "the task is under way");
  want(frp_end_task(run, 1, 1, TEXT("\"much\"")) == FRP_UNFIT, "its result is checked");
  check(frp_end_task(run, 1, 1, TEXT("3.5")), run, "end");
  check(frp_read_double(run, offer, &value), run, "read");
  want(value == 3.5, "and comes in");
  check(frp_release(run), run, "release");
  check(frp_release(program), program, "release");
  check(frp_release(wrong), wrong, "release");
  want(frp_live_handles() == 0, "everything is given back");
}

/* A number as argument says how many times: what is in use at the end must not depend on it. */
int main(int count, char **words) {
  for (int rounds = count > 1 ? atoi(words[1]) : 1; rounds > 0; rounds--) once();
  return 0;
}
