/* Several threads and the C library: each has runs of its own of one program, all use one run besides. Whoever uses a
 * handle that another thread uses gets FRP_BUSY, and nothing else; what gave FRP_OK has happened, once. Run by Tests/CLibrary/run. */
#include <pthread.h>
#include "check.h"

enum { THREADS = 4, ROUNDS = 50, SENDS = 20 };

static frp_program program;
static frp_run shared;
static int32_t shared_port;

static void must(int holds, const char *what) {
  if (!holds) want(0, what);
}

/* Sends to the shared run; gives how many sends happened. */
static int64_t use_shared(void) {
  int64_t sent = 0;
  for (int i = 0; i < SENDS; i++) {
    int32_t status = frp_send_int(shared, shared_port, 1);
    must(status == FRP_OK || status == FRP_BUSY, "a run is used by one thread at a time");
    sent += status == FRP_OK;
  }
  return sent;
}

static void *work(void *number) {
  int64_t *sent = number;
  for (int round = 0; round < ROUNDS; round++) {
    frp_run run;
    int32_t port, total;
    int64_t value = 0;
    int32_t status;
    do status = frp_open(program, NULL, 0, 0, &run);
    while (status == FRP_BUSY);
    check(status, program, "open");
    check(frp_start(run), run, "start");
    check(frp_input(run, TEXT("n"), &port), run, "input");
    check(frp_output(run, TEXT("total"), &total), run, "output");
    for (int64_t i = 1; i <= SENDS; i++) check(frp_send_int(run, port, i), run, "send");
    check(frp_read_int(run, total, &value), run, "read");
    must(value == SENDS * (SENDS + 1) / 2, "a run of one's own is one's own");
    check(frp_release(run), run, "release");
    *sent += use_shared();
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  int64_t sent[THREADS] = {0}, all = 0, value = 0;
  int32_t total;
  check(frp_compile(TEXT("threads.frp"), TEXT("input n: Event<Int>\noutput total = n |> fold(0, (+))\n"), &program),
        program, "compile");
  check(frp_open(program, NULL, 0, 0, &shared), program, "open");
  check(frp_start(shared), shared, "start");
  check(frp_input(shared, TEXT("n"), &shared_port), shared, "input");
  check(frp_output(shared, TEXT("total"), &total), shared, "output");
  for (int i = 0; i < THREADS; i++) want(pthread_create(&threads[i], NULL, work, &sent[i]) == 0, "a thread");
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    all += sent[i];
  }
  check(frp_read_int(shared, total, &value), shared, "read");
  want(value == all && all > 0, "each send that was taken counts once");
  check(frp_release(shared), shared, "release");
  check(frp_release(program), program, "release");
  want(frp_live_handles() == 0, "everything is given back");
  return 0;
}
