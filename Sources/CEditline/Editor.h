// What the parts of the editor share, inside this module.

#ifndef CEDITLINE_EDITOR_H
#define CEDITLINE_EDITOR_H

#include "CEditline.h"

#include <histedit.h>
#include <termios.h>
#include <wchar.h>

// Private keys that stand for libedit's own commands, so that a function of ours can end in one of them. They are
// single characters that nobody types (C1 controls), so that they mean the same in vi's modes.
#define KEY_SUBMIT L"\x81"
#define KEY_UP L"\x82"
#define KEY_DOWN L"\x83"
#define KEY_UP_INSIDE L"\x84"
#define KEY_DOWN_INSIDE L"\x85"
#define KEY_PREFILL L"\x86"
#define KEY_VI_PREFILL L"a\x86"

extern EditLine *cei_editor;
extern ce_hooks cei_hooks;
extern int cei_was_interrupted;
/// ^X ^E was pressed: the entry goes to `$EDITOR`.
extern int cei_is_for_editor;
extern int cei_is_vi;
extern double cei_suspended_seconds;
/// The terminal as it was when the editor was opened.
extern struct termios cei_outer_terminal;
/// Text that the next entry starts with, or that is to be put in.
extern wchar_t *cei_prefill;

char *cei_to_utf8(const wchar_t *text, size_t count);
wchar_t *cei_to_wide(const char *text);
char *cei_line_text(int *cursor);

int cei_columns(void);
int cei_rows(void);
int cei_prompt_width(void);
/// Moves (row, column) over `text`, as the terminal would.
void cei_advance(const wchar_t *text, const wchar_t *end, int width, int *row, int *column);

/// Waits for a key; meanwhile the program goes on.
int cei_next_key(EditLine *unused, wchar_t *key);
/// Binds our keys, and those of the user's file.
void cei_bind_keys(void);

#endif
