// What keys do at the prompt, and which keys they are, also in vi's modes and with the user's own bindings.

#define _GNU_SOURCE
#include "Editor.h"
#include "Pane.h"
#include "Signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wctype.h>

/// Opens a line, two columns further in for every bracket that is open before the cursor; at least `least`.
static void open_line(size_t least) {
  const LineInfoW *info = el_wline(cei_editor);
  wchar_t text[64] = L"\n";
  int depth = 0, is_text = 0;
  for (const wchar_t *c = info->buffer; c < info->cursor; c++) {
    if (*c == L'"' && (c == info->buffer || c[-1] != L'\\')) is_text = !is_text;
    if (is_text) continue;
    if (*c == L'{' || *c == L'(' || *c == L'[') depth++;
    if (*c == L'}' || *c == L')' || *c == L']') depth--;
  }
  if (is_text) depth = 0, least = 0;
  size_t cei_columns = depth < 1 ? 0 : depth > 20 ? 40 : (size_t)depth * 2;
  if (cei_columns < least) cei_columns = least;
  wmemset(text + 1, L' ', cei_columns);
  text[cei_columns + 1] = 0;
  el_winsertstr(cei_editor, text);
}

static unsigned char on_return(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  char *text = cei_line_text(NULL);
  int is_done = cei_hooks.is_complete(cei_hooks.context, text);
  free(text);
  if (is_done) {
    cei_paint_for_good();
    el_wpush(cei_editor, KEY_SUBMIT);
    return CC_NORM;
  }
  open_line(2);
  return CC_REFRESH;
}

/// A line after a finished definition begins another one; any other goes on with what is there, further in.
static unsigned char on_new_line(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(cei_editor);
  char *text = cei_to_utf8(info->buffer, (size_t)(info->cursor - info->buffer));
  open_line(cei_hooks.is_complete(cei_hooks.context, text) ? 0 : 2);
  free(text);
  return CC_REFRESH;
}

static unsigned char on_interrupt(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  cei_was_interrupted = 1;
  el_wpush(cei_editor, KEY_SUBMIT);
  return CC_NORM;
}

/// What was being typed when an earlier entry was looked at: libedit keeps only the first 1024 characters of it.
static wchar_t *kept;

static unsigned char on_earlier(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  if (cei_earlier++ == 0) {
    char *text = cei_line_text(NULL);
    free(kept);
    kept = cei_to_wide(text);
    free(text);
  }
  el_wpush(cei_editor, KEY_UP);
  return CC_ARGHACK;
}

static unsigned char on_later(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  if (cei_earlier > 0) cei_earlier--;
  el_wpush(cei_editor, KEY_DOWN KEY_RESTORE);
  return CC_ARGHACK;
}

/// Puts what was being typed back where libedit has lost its end.
static unsigned char on_restore(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  enum { LIBEDIT_KEEPS = 1024 };
  const LineInfoW *info = el_wline(cei_editor);
  size_t length = (size_t)(info->lastchar - info->buffer);
  if (!kept || length <= LIBEDIT_KEEPS || wcslen(kept) != length) return CC_NORM;
  if (wmemcmp(kept, info->buffer, LIBEDIT_KEEPS) != 0) return CC_NORM;
  el_wreplacestr(cei_editor, kept);
  return CC_REFRESH;
}

static unsigned char on_up(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(cei_editor);
  int has_line_above = 0;
  for (const wchar_t *c = info->buffer; c < info->cursor; c++) has_line_above |= *c == L'\n';
  if (!has_line_above && cei_search(0)) return CC_REFRESH;
  if (!has_line_above) return on_earlier(cei_editor, 0);
  el_wpush(cei_editor, KEY_UP_INSIDE);
  return CC_NORM;
}

static unsigned char on_down(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(cei_editor);
  int has_line_below = 0;
  for (const wchar_t *c = info->cursor; c < info->lastchar; c++) has_line_below |= *c == L'\n';
  if (!has_line_below && cei_search(1)) return CC_REFRESH;
  if (!has_line_below) return on_later(cei_editor, 0);
  el_wpush(cei_editor, KEY_DOWN_INSIDE);
  return CC_NORM;
}

static unsigned char on_line_start(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(cei_editor);
  const wchar_t *c = info->cursor;
  while (c > info->buffer && c[-1] != L'\n') c--;
  el_cursor(cei_editor, (int)(c - info->cursor));
  return CC_REFRESH;
}

/// Takes what is suggested behind the entry, or the next word of it; 0 if there is nothing.
static int take_suggestion(int is_word) {
  const LineInfoW *info = el_wline(cei_editor);
  // In vi's modes the escape that the key begins with has moved the cursor onto the last character.
  if (info->cursor + (cei_is_vi && info->lastchar > info->buffer) < info->lastchar) return 0;
  char *text = cei_line_text(NULL);
  char *rest = cei_hooks.suggest(cei_hooks.context, text);
  free(text);
  if (!rest) return 0;
  wchar_t *wide = cei_to_wide(rest);
  free(rest);
  if (is_word) {
    wchar_t *end = wide;
    while (*end && !iswalnum((wint_t)*end)) end++;
    while (iswalnum((wint_t)*end)) end++;
    *end = 0;
  }
  if (cei_is_vi) {
    free(cei_prefill);
    cei_prefill = wide;
    el_wpush(cei_editor, KEY_APPEND KEY_PREFILL);
    return 1;
  }
  el_winsertstr(cei_editor, wide);
  free(wide);
  return 1;
}

static unsigned char on_right(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  if (take_suggestion(0)) return CC_REFRESH;
  el_wpush(cei_editor, KEY_RIGHT);
  return CC_ARGHACK;
}

static unsigned char on_word_right(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  if (take_suggestion(1)) return CC_REFRESH;
  el_wpush(cei_editor, KEY_WORD);
  return CC_ARGHACK;
}

/// ^_
static unsigned char on_undo(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  return cei_undo() ? CC_REFRESH : CC_REFRESH_BEEP;
}

/// Alt-Up, Alt-Down, and the escape that puts a number back.
static unsigned char adjust(int direction) {
  int cursor;
  char *text = cei_line_text(&cursor);
  char *changed = cei_hooks.adjust(cei_hooks.context, text, &cursor, direction);
  free(text);
  cei_is_adjusting = changed && direction != 0;
  if (!changed) return CC_REFRESH_BEEP;
  wchar_t *wide = cei_to_wide(changed);
  free(changed);
  cei_replace(wide, cursor);
  free(wide);
  return CC_REFRESH;
}

static unsigned char on_more(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  return adjust(1);
}

static unsigned char on_less(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  return adjust(-1);
}

static unsigned char on_adjust_back(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  return adjust(0);
}

static unsigned char on_line_end(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  if (!cei_is_vi && take_suggestion(0)) return CC_REFRESH;
  const LineInfoW *info = el_wline(cei_editor);
  const wchar_t *c = info->cursor;
  while (c < info->lastchar && *c != L'\n') c++;
  el_cursor(cei_editor, (int)(c - info->cursor));
  return CC_REFRESH;
}

/// Bracketed paste: everything up to the end mark goes in at once and means nothing.
static unsigned char on_paste(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  static const wchar_t mark[] = L"\033[201~";
  size_t capacity = 1024, count = 0;
  wchar_t *text = malloc(capacity * sizeof(wchar_t));
  wchar_t next;
  while (cei_next_key(cei_editor, &next) == 1) {
    if (next == 3) {
      // The end mark never came.
      free(text);
      return on_interrupt(cei_editor, 3);
    }
    if (count + 2 > capacity) text = realloc(text, (capacity *= 2) * sizeof(wchar_t));
    text[count++] = next == L'\r' ? L'\n' : (next == L'\t' ? L' ' : next);
    if (count >= 6 && wmemcmp(text + count - 6, mark, 6) == 0) {
      count -= 6;
      break;
    }
  }
  while (count > 0 && text[count - 1] == L'\n') count--;
  text[count] = 0;
  if (cei_is_vi) {
    // The escape that the paste begins with has left vi's insert mode: go back to it behind the cursor first.
    free(cei_prefill);
    cei_prefill = text;
    el_wpush(cei_editor, KEY_APPEND KEY_PREFILL);
    return CC_NORM;
  }
  el_winsertstr(cei_editor, text);
  free(text);
  return CC_REFRESH;
}

/// Puts a text that was prepared into the entry.
static unsigned char on_prefill(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  if (!cei_prefill) return CC_NORM;
  el_winsertstr(cei_editor, cei_prefill);
  free(cei_prefill);
  cei_prefill = NULL;
  return CC_REFRESH;
}

/// ^X ^E: ends the entry; who reads it opens it in an editor.
static unsigned char on_edit(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  cei_is_for_editor = 1;
  el_wpush(cei_editor, KEY_SUBMIT);
  return CC_NORM;
}

/// vi's `.` plays the last change again as keys. Where that is not what it takes it for, such as text without the
/// command that began it, the keys can hold a `.` for it to play: it would never end. So only one that was typed counts.
static unsigned char on_redo(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  if (!cei_has_typed) return CC_NORM;
  cei_has_typed = 0;
  el_wpush(cei_editor, KEY_REDO);
  return CC_ARGHACK;
}

/// vi's `$`. In an empty entry libedit's own puts the cursor before the beginning, where the next key changes memory that
/// is not the entry's.
static unsigned char on_end(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(cei_editor);
  if (info->lastchar == info->buffer) return CC_NORM;
  el_wpush(cei_editor, KEY_END);
  return CC_ARGHACK;
}

/// vi's `/`, `?`, `n` and `N`, and ^R in its command mode: all of them search as ^R does. libedit's own `/` takes ^C for
/// text, and Escape for Return; and after an `n` that found nothing the cursor stands behind the end of an empty entry.
static unsigned char on_search(EditLine *unused, int key) {
  (void)unused;
  int is_back = key != L'?' && key != L'N', is_again = key == L'n' || key == L'N';
  el_wpush(cei_editor, is_back ? KEY_INSERT KEY_SEARCH_BACK : KEY_INSERT KEY_SEARCH_ON);
  // With nothing typed, the same key again looks for what was last looked for.
  if (is_again) el_wpush(cei_editor, is_back ? KEY_SEARCH_BACK : KEY_SEARCH_ON);
  return CC_NORM;
}

/// ^L: clears what is below the pane.
static unsigned char on_clear(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(cei_editor);
  int row, column;
  cei_place(info->cursor, cei_columns(), &row, &column);
  printf("\033[%d;1H\033[J\033[%d;1H", cei_pane_rows() + 1, cei_pane_rows() + 1 + row);
  fflush(stdout);
  return CC_REDISPLAY;
}

/// ^Z
static unsigned char on_suspend(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  cei_suspend();
  return CC_REDISPLAY;
}

static unsigned char on_complete(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  int cursor = 0;
  char *text = cei_line_text(&cursor);
  ce_completion answer = cei_hooks.complete(cei_hooks.context, text, cursor);
  free(text);
  unsigned char result = CC_REFRESH;
  if (answer.insertion) {
    if (answer.replaced > 0) el_deletestr(cei_editor, answer.replaced);
    wchar_t *insertion = cei_to_wide(answer.insertion);
    el_winsertstr(cei_editor, insertion);
    free(insertion);
  }
  if (answer.listing) {
    const LineInfoW *info = el_wline(cei_editor);
    int here, last, column, width = cei_columns();
    cei_place(info->cursor, width, &here, &column);
    cei_place(info->lastchar, width, &last, &column);
    for (int i = here; i <= last; i++) fputs("\n", stdout);
    fputs("\r", stdout);
    fputs(answer.listing, stdout);
    fflush(stdout);
    result = CC_REDISPLAY;
  }
  if (!answer.insertion && !answer.listing) result = CC_REFRESH_BEEP;
  free(answer.insertion);
  free(answer.listing);
  return result;
}

// MARK: Bindings

struct binding {
  const wchar_t *key, *function;
};

static void add_functions(void) {
  el_wset(cei_editor, EL_ADDFN, L"frp-return", L"finish the entry, or open a line", on_return);
  el_wset(cei_editor, EL_ADDFN, L"frp-new-line", L"open a line", on_new_line);
  el_wset(cei_editor, EL_ADDFN, L"frp-interrupt", L"drop the entry", on_interrupt);
  el_wset(cei_editor, EL_ADDFN, L"frp-complete", L"complete a name", on_complete);
  el_wset(cei_editor, EL_ADDFN, L"frp-paste", L"take a pasted block", on_paste);
  el_wset(cei_editor, EL_ADDFN, L"frp-prefill", L"put in a prepared text", on_prefill);
  el_wset(cei_editor, EL_ADDFN, L"frp-edit", L"open the entry in an editor", on_edit);
  el_wset(cei_editor, EL_ADDFN, L"frp-suspend", L"stop the process", on_suspend);
  el_wset(cei_editor, EL_ADDFN, L"frp-clear", L"clear the screen", on_clear);
  el_wset(cei_editor, EL_ADDFN, L"frp-redo", L"do the last change again", on_redo);
  el_wset(cei_editor, EL_ADDFN, L"frp-end", L"to the end of the entry", on_end);
  el_wset(cei_editor, EL_ADDFN, L"frp-search", L"search earlier or later entries", on_search);
  el_wset(cei_editor, EL_ADDFN, L"frp-up", L"line above, or earlier entry", on_up);
  el_wset(cei_editor, EL_ADDFN, L"frp-down", L"line below, or later entry", on_down);
  el_wset(cei_editor, EL_ADDFN, L"frp-earlier", L"earlier entry", on_earlier);
  el_wset(cei_editor, EL_ADDFN, L"frp-later", L"later entry", on_later);
  el_wset(cei_editor, EL_ADDFN, L"frp-restore", L"put the entry back", on_restore);
  el_wset(cei_editor, EL_ADDFN, L"frp-right", L"take what is suggested, or a place to the right", on_right);
  el_wset(cei_editor, EL_ADDFN, L"frp-word-right", L"take a word of it, or a word to the right", on_word_right);
  el_wset(cei_editor, EL_ADDFN, L"frp-undo", L"take back what was typed last", on_undo);
  el_wset(cei_editor, EL_ADDFN, L"frp-more", L"make the number at the cursor larger", on_more);
  el_wset(cei_editor, EL_ADDFN, L"frp-less", L"make the number at the cursor smaller", on_less);
  el_wset(cei_editor, EL_ADDFN, L"frp-adjust-back", L"put the number back", on_adjust_back);
  el_wset(cei_editor, EL_ADDFN, L"frp-line-start", L"to the start of the line", on_line_start);
  el_wset(cei_editor, EL_ADDFN, L"frp-line-end", L"to the end of the line", on_line_end);
}

/// Keys of one character: the same in every mode, and in both of vi's maps.
static const struct binding plain_keys[] = {
    {KEY_SUBMIT, L"ed-newline"},        {KEY_UP, L"ed-prev-history"},       {KEY_DOWN, L"ed-next-history"},
    {KEY_UP_INSIDE, L"ed-prev-line"},   {KEY_DOWN_INSIDE, L"ed-next-line"}, {KEY_PREFILL, L"frp-prefill"},
    {L"^P", L"frp-earlier"},            {L"^N", L"frp-later"},              {KEY_RESTORE, L"frp-restore"},
    {KEY_SEARCH_BACK, L"em-inc-search-prev"}, {KEY_SEARCH_ON, L"em-inc-search-next"},
    {L"^M", L"frp-return"},             {L"^J", L"frp-return"},             {L"^C", L"frp-interrupt"},
    {L"^I", L"frp-complete"},           {L"^R", L"em-inc-search-prev"},     {L"^L", L"frp-clear"},
    {L"^Z", L"frp-suspend"},            {L"^W", L"ed-delete-prev-word"},
    {KEY_RIGHT, L"ed-next-char"},       {KEY_WORD, L"em-next-word"},        {KEY_ADJUST_BACK, L"frp-adjust-back"},
    {L"\x1f", L"frp-undo"},
};

/// What begins with an escape, without it: in vi's modes the escape has been a key of its own.
static const struct binding sequences[] = {
    {L"[200~", L"frp-paste"},     {L"[A", L"frp-up"},           {L"[B", L"frp-down"},
    {L"OA", L"frp-up"},           {L"OB", L"frp-down"},         {L"[3~", L"ed-delete-next-char"},
    {L"[H", L"frp-line-start"},   {L"OH", L"frp-line-start"},   {L"[1~", L"frp-line-start"},
    {L"[F", L"frp-line-end"},     {L"OF", L"frp-line-end"},     {L"[4~", L"frp-line-end"},
    {L"[1;5D", L"ed-prev-word"},  {L"[1;5C", L"frp-word-right"}, {L"[C", L"frp-right"},
    {L"OC", L"frp-right"},        {L"[1;3A", L"frp-more"},      {L"[1;3B", L"frp-less"},
};

/// Keys of vi's command mode.
static const struct binding command_keys[] = {
    // As in shells: v opens the editor.
    {L"v", L"frp-edit"},   {L".", L"frp-redo"},    {KEY_REDO, L"vi-redo"},     {KEY_COMMAND, L"vi-command-mode"},
    {L"/", L"frp-search"}, {L"?", L"frp-search"},  {KEY_INSERT, L"vi-insert"}, {KEY_APPEND, L"vi-add"},
    {L"n", L"frp-search"}, {L"N", L"frp-search"},  {L"^R", L"frp-search"},
    {L"k", L"frp-earlier"}, {L"j", L"frp-later"},
    {L"$", L"frp-end"},    {L"^E", L"frp-end"},    {KEY_END, L"ed-move-to-end"},
};

static const struct binding emacs_keys[] = {
    {L"\033\r", L"frp-new-line"}, {L"\033\n", L"frp-new-line"}, {L"^A", L"frp-line-start"},
    {L"^E", L"frp-line-end"},     {L"^X^E", L"frp-edit"},       {L"^F", L"frp-right"},
    {L"\033f", L"frp-word-right"}, {L"\033\033[A", L"frp-more"},  {L"\033\033[B", L"frp-less"},
};

#define COUNT(list) (sizeof list / sizeof *list)

static void bind_keys(void) {
  for (size_t i = 0; i < COUNT(plain_keys); i++) {
    el_wset(cei_editor, EL_BIND, plain_keys[i].key, plain_keys[i].function, NULL);
    if (cei_is_vi) el_wset(cei_editor, EL_BIND, L"-a", plain_keys[i].key, plain_keys[i].function, NULL);
  }
  for (size_t i = 0; i < COUNT(sequences); i++) {
    if (cei_is_vi) {
      el_wset(cei_editor, EL_BIND, L"-a", sequences[i].key, sequences[i].function, NULL);
      continue;
    }
    wchar_t key[16] = L"\033";
    wcsncat(key, sequences[i].key, COUNT(key) - 2);
    el_wset(cei_editor, EL_BIND, key, sequences[i].function, NULL);
  }
  // libedit's own command line could switch the editor off.
  el_wset(cei_editor, EL_BIND, L"-r", L"\033x", NULL);
  el_wset(cei_editor, EL_BIND, L"-r", L"\033X", NULL);
  if (cei_is_vi) {
    el_wset(cei_editor, EL_BIND, L"-a", L"-r", L":", NULL);
    el_wset(cei_editor, EL_BIND, KEY_COMMAND, L"vi-command-mode", NULL);
    for (size_t i = 0; i < COUNT(command_keys); i++) {
      el_wset(cei_editor, EL_BIND, L"-a", command_keys[i].key, command_keys[i].function, NULL);
    }
    return;
  }
  for (size_t i = 0; i < COUNT(emacs_keys); i++) {
    el_wset(cei_editor, EL_BIND, emacs_keys[i].key, emacs_keys[i].function, NULL);
  }
}

/// The lines of `~/.editrc` (or of the file that EDITRC names). Choosing a mode drops every binding, so that is done
/// first, then ours are made, then the user's other lines count.
static void read_user_bindings(void) {
  const char *named = getenv("EDITRC"), *home = getenv("HOME");
  char path[4096];
  snprintf(path, sizeof path, "%s%s", named ? named : home ? home : "", named ? "" : "/.editrc");
  FILE *file = fopen(path, "r");
  TokenizerW *tokens = tok_winit(NULL);
  for (int pass = 0; pass < 2; pass++) {
    char line[1024];
    if (file) rewind(file);
    while (file && fgets(line, sizeof line, file)) {
      line[strcspn(line, "\r\n")] = 0;
      if (line[0] == '#' || line[0] == 0) continue;
      wchar_t *wide = cei_to_wide(line);
      const wchar_t **words;
      int count;
      tok_wreset(tokens);
      if (tok_wstr(tokens, wide, &count, &words) == 0 && count > 0) {
        const wchar_t *command = wcsncmp(words[0], L"frp:", 4) == 0 ? words[0] + 4 : words[0];
        int is_mode = count == 2 && wcscmp(command, L"bind") == 0 &&
                      (wcscmp(words[1], L"-v") == 0 || wcscmp(words[1], L"-e") == 0);
        if (is_mode && pass == 0) cei_is_vi = wcscmp(words[1], L"-v") == 0;
        if (!is_mode && pass == 1) el_wparse(cei_editor, count, words);
      }
      free(wide);
    }
    if (pass == 0) {
      el_wset(cei_editor, EL_EDITOR, cei_is_vi ? L"vi" : L"emacs");
      bind_keys();
    }
  }
  tok_wend(tokens);
  if (file) fclose(file);
}

void cei_bind_keys(void) {
  add_functions();
  read_user_bindings();
}
