// What is drawn on top of what libedit draws: colours, and behind the entry, in grey, how an earlier one went on.

#define _GNU_SOURCE
#include "Editor.h"
#include "Pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cei_has_colours;
/// Whether the entry is shown as it is to be until a key comes.
static int is_painted;
/// Whether there is something grey behind the entry.
static int has_suggestion;

/// Whether what is being typed has only characters that the terminal shows as they are, and fits on the screen.
static int is_paintable(void) {
  const LineInfoW *info = el_wline(cei_editor);
  if (info->lastchar == info->buffer) return 0;
  for (const wchar_t *c = info->buffer; c < info->lastchar; c++) {
    if (*c != L'\n' && wcwidth(*c) < 0) return 0;
  }
  int row, column;
  cei_place(info->lastchar, cei_columns(), &row, &column);
  return row < cei_rows() - cei_pane_rows() - 1;
}

/// Writes a text with colours over the same text without them, row by row as it was broken; the row it ends in.
static int write_over(const char *text, int row, int column, int width) {
  mbstate_t state = {0};
  for (size_t left = strlen(text); left > 0;) {
    wchar_t c;
    size_t n = mbrtowc(&c, text, left, &state);
    if (n == 0 || n > left) return row;
    if (c == 27) {
      n = strcspn(text, "m");
      n += text[n] == 'm';
      fwrite(text, 1, n, stdout);
    } else if (c == L'\n') {
      row++;
      column = 0;
      fputs("\r\n", stdout);
    } else {
      int w = wcwidth(c) < 1 ? 1 : wcwidth(c);
      if (column + w > width) {
        row++;
        column = 0;
        fputs("\r\n", stdout);
      }
      column += w;
      cei_put(c);
    }
    if (c != 27 && column == width) {
      row++;
      column = 0;
      fputs("\r\n", stdout);
    }
    text += n;
    left -= n;
  }
  return row;
}

/// Draws what is being typed once more, in colours, over itself.
static void draw_colours(const char *text, int cursor) {
  char *coloured = cei_hooks.paint(cei_hooks.context, text, cursor);
  if (!coloured) return;
  const LineInfoW *info = el_wline(cei_editor);
  int first, row, start, column, width = cei_columns();
  cei_place(NULL, width, &first, &start);
  cei_place(info->cursor, width, &row, &column);
  fputs("\033[?25l", stdout);
  if (row > first) printf("\033[%dA", row - first);
  fputs("\r", stdout);
  if (start > 0) printf("\033[%dC", start);
  int last = write_over(coloured, first, start, width);
  fputs("\033[0m\r", stdout);
  if (last > row) printf("\033[%dA", last - row);
  if (last < row) printf("\033[%dB", row - last);
  if (column > 0) printf("\033[%dC", column);
  fputs("\033[?25h", stdout);
  free(coloured);
}

/// How the entry may go on, in grey; its first line, as far as the row goes. The cursor stays.
static void draw_suggestion(const char *text) {
  const LineInfoW *info = el_wline(cei_editor);
  if (info->cursor != info->lastchar) return;
  char *rest = cei_hooks.suggest(cei_hooks.context, text);
  if (!rest) return;
  int row, column, width = cei_columns();
  cei_place(info->lastchar, width, &row, &column);
  wchar_t *wide = cei_to_wide(rest);
  int used = 0;
  fputs("\033[90m", stdout);
  for (const wchar_t *c = wide; *c && *c != L'\n'; c++) {
    int cells = wcwidth(*c);
    if (cells < 1 || column + used + cells >= width) break;
    cei_put(*c);
    used += cells;
  }
  fputs("\033[0m", stdout);
  if (used > 0) printf("\033[%dD", used);
  has_suggestion = used > 0;
  free(wide);
  free(rest);
}

void cei_paint(void) {
  if (is_painted) return;
  is_painted = 1;
  if (!cei_has_colours || !is_paintable()) return;
  int cursor;
  char *text = cei_line_text(&cursor);
  draw_colours(text, cursor);
  draw_suggestion(text);
  free(text);
  fflush(stdout);
}

void cei_paint_for_good(void) {
  if (!cei_has_colours || !is_paintable()) return;
  char *text = cei_line_text(NULL);
  draw_colours(text, -1);
  free(text);
}

void cei_unpaint(void) {
  // The cursor is at the end of the entry.
  if (has_suggestion) fputs("\033[K", stdout);
  cei_forget_paint();
}

void cei_forget_paint(void) { is_painted = has_suggestion = 0; }
