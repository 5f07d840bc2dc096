// Cells of the screen: how many of them an entry's characters take, and what is shown in them.
//
// libedit takes characters that join the one before for none or for one cell, as it happens: after one of them its idea
// of the cursor and the screen's would differ. So what it edits has a stand-in for each of them, a character of a
// private plane that takes one cell. They are shown by themselves: marks on a dotted circle, and what cannot be seen at
// all as a dot. Whoever looks at an entry sees all that is in it.

#define _GNU_SOURCE
#include "Editor.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <wctype.h>

int cei_columns(void) {
  struct winsize size;
  // libedit takes a screen of one column for one of 80.
  if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) return size.ws_col;
  return 80;
}

int cei_rows(void) {
  struct winsize size;
  if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return 24;
}

// MARK: Places

static void advance(int cells, int width, int *row, int *column) {
  if (*column + cells > width) {
    (*row)++;
    *column = 0;
  }
  *column += cells;
  if (*column >= width) {
    (*row)++;
    *column = 0;
  }
}

void cei_advance(const wchar_t *text, const wchar_t *end, int width, int *row, int *column) {
  for (; text < end; text++) {
    if (*text == L'\n') {
      (*row)++;
      *column = 0;
    } else if (*text == L'\t') {
      do advance(1, width, row, column);
      while (*column % 8 != 0);
    } else if (iswprint((wint_t)*text)) {
      advance(wcwidth(*text), width, row, column);
    } else {
      // `^A`, `\U+1234` or `\U+12345`.
      int cells = *text < 0x100 && iswcntrl((wint_t)*text) ? 2 : *text > 0xFFFF ? 8 : 7;
      for (int i = 0; i < cells; i++) advance(1, width, row, column);
    }
  }
}

void cei_place(const wchar_t *end, int width, int *row, int *column) {
  *row = 0;
  *column = 0;
  int is_hidden = 0;
  for (const wchar_t *c = cei_prompt_text; *c; c++) {
    if (*c == 1) {
      is_hidden = !is_hidden;
    } else if (!is_hidden) {
      cei_advance(c, c + 1, width, row, column);
    }
  }
  if (end) cei_advance(el_wline(cei_editor)->buffer, end, width, row, column);
}

// MARK: Stand-ins

enum { FIRST = 0x10F000, LAST = 0x10FFFD };
/// What the stand-ins that were given away so far stand for.
static wchar_t originals[LAST - FIRST + 1];
static int given;

wchar_t cei_stand_in(wchar_t c) {
  int is_one = c >= FIRST && c <= LAST;
  if (c < 0x80 || (wcwidth(c) != 0 && !is_one)) return c;
  int i = 0;
  while (i < given && originals[i] != c) i++;
  if (i > LAST - FIRST) return L'?';
  originals[i] = c;
  if (i == given) given++;
  return FIRST + i;
}

wchar_t cei_original(wchar_t c) {
  return c >= FIRST && c < FIRST + given ? originals[c - FIRST] : c;
}

// MARK: What is shown

/// Characters without a shape: joiners, directions, selectors of shapes, inner parts of Hangul.
static int is_invisible(wchar_t c) {
  static const wchar_t ranges[][2] = {{0x34F, 0x34F},   {0x1160, 0x11FF}, {0x180B, 0x180F},   {0x200B, 0x200F},
                                      {0x202A, 0x202E}, {0x2060, 0x206F}, {0xD7B0, 0xD7FF},   {0xFE00, 0xFE0F},
                                      {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (c >= ranges[i][0] && c <= ranges[i][1]) return 1;
  }
  return 0;
}

void cei_put(wchar_t c) {
  int is_alone = c >= 0x80 && wcwidth(c) == 0;
  if (is_alone) fputs(is_invisible(c) ? "·" : "◌", stdout);
  if (is_alone && is_invisible(c)) return;
  char bytes[MB_LEN_MAX];
  mbstate_t state = {0};
  size_t count = wcrtomb(bytes, c, &state);
  if (count != (size_t)-1) fwrite(bytes, 1, count, stdout);
}

/// What libedit writes.
static ssize_t write_bytes(void *unused, const char *bytes, size_t count) {
  (void)unused;
  static mbstate_t state;
  for (size_t i = 0; i < count; i++) {
    wchar_t c;
    size_t n = mbrtowc(&c, bytes + i, 1, &state);
    if (n == (size_t)-2) continue;
    if (n == (size_t)-1) memset(&state, 0, sizeof state);
    if (n != (size_t)-1) cei_put(cei_original(c));
  }
  return (ssize_t)count;
}

FILE *cei_open_output(void) {
  cookie_io_functions_t functions = {.write = write_bytes};
  FILE *output = fopencookie(NULL, "w", functions);
  // One buffer is enough: that of the standard output, which everything else goes to.
  if (output) setvbuf(output, NULL, _IONBF, 0);
  return output;
}
