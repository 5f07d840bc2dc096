// Rows at the top of the screen that stay where they are while the rest scrolls: the terminal's scrolling region ends
// below them. libedit only ever moves relative to the cursor, so it knows nothing of this.
//
// Rows are taken and given back between two entries only, when the cursor stands at the left margin of an empty row.

#include "Pane.h"

#include "CEditline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST = 64, LEAST_BELOW = 5 };

/// Rows that are taken, and what they show.
static int rows;
static char *shown[MOST];
/// The size of the screen when the region was set.
static struct winsize size;
/// Whether the screen is large enough at present.
static int fits = 1;

static void measure(struct winsize *now) {
  if (ioctl(1, TIOCGWINSZ, now) != 0 || now->ws_row == 0) {
    now->ws_row = 24;
    now->ws_col = 80;
  }
}

/// The terminal puts the cursor home when the region changes, so it is kept.
static void set_region(void) {
  if (rows > 0 && fits) {
    printf("\0337\033[%d;%dr\0338", rows + 1, size.ws_row);
  } else {
    fputs("\0337\033[r\0338", stdout);
  }
}

/// What stands on the screen moves down by `count`; nothing is lost, and the cursor goes with it.
static void take(int count) {
  fputs("\0337\033[r\0338", stdout);
  for (int i = 0; i < count; i++) putchar('\n');
  printf("\033[%dA\0337\033[%d;1H\033[%dL\0338\033[%dB", count, rows + 1, count, count);
  rows += count;
}

static void give_back(int count) {
  rows -= count;
  printf("\0337\033[r\033[%d;1H\033[%dM\0338\033[%dA", rows + 1, count, count);
}

static void forget_rows(void) {
  for (int i = 0; i < MOST; i++) {
    free(shown[i]);
    shown[i] = NULL;
  }
}

static void draw(int row, const char *text) {
  if (shown[row] && strcmp(shown[row], text) == 0) return;
  free(shown[row]);
  shown[row] = strdup(text);
  if (fits) printf("\033[%d;1H\033[2K%s\033[0m", row + 1, text);
}

int ce_pane_room(void) {
  struct winsize now;
  measure(&now);
  int room = (int)now.ws_row - LEAST_BELOW;
  return room < 0 ? 0 : room > MOST ? MOST : room;
}

void ce_pane_resize(int count) {
  measure(&size);
  if (count > ce_pane_room()) count = ce_pane_room();
  if (count == rows && fits) return;
  fits = 1;
  if (count > rows) take(count - rows);
  if (count < rows) give_back(rows - count);
  set_region();
  forget_rows();
  fflush(stdout);
}

void ce_pane_draw(const char *text) {
  if (rows == 0) return;
  fputs("\0337\033[?25l", stdout);
  int row = 0;
  while (row < rows) {
    const char *end = strchr(text, '\n');
    size_t length = end ? (size_t)(end - text) : strlen(text);
    char *line = strndup(text, length);
    if (line) draw(row, line);
    free(line);
    text += length + (end ? 1 : 0);
    row++;
  }
  fputs("\0338\033[?25h", stdout);
  fflush(stdout);
}

int cei_pane_rows(void) { return fits ? rows : 0; }

int cei_pane_is_taken(void) { return rows > 0; }

void cei_pane_release(void) {
  static const char reset[] = "\0337\033[r\0338";
  if (rows > 0 && write(1, reset, sizeof reset - 1) < 0) return;
}

void cei_pane_restore(void) {
  if (rows == 0) return;
  measure(&size);
  fits = rows <= ce_pane_room();
  set_region();
  forget_rows();
  fflush(stdout);
}

void cei_pane_check_size(void) {
  if (rows == 0) return;
  struct winsize now;
  measure(&now);
  if (now.ws_row == size.ws_row && now.ws_col == size.ws_col) return;
  cei_pane_restore();
}
