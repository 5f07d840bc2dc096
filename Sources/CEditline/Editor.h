// What the parts of the editor share, inside this module.

#ifndef CEDITLINE_EDITOR_H
#define CEDITLINE_EDITOR_H

#include "CEditline.h"

#include <histedit.h>
#include <stdio.h>
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
#define KEY_REDO L"\x87"
#define KEY_SEARCH_BACK L"\x88"
#define KEY_SEARCH_ON L"\x89"
#define KEY_END L"\x8d"
#define KEY_RESTORE L"\x8e"
#define KEY_RIGHT L"\x8f"
#define KEY_WORD L"\x90"
#define KEY_ADJUST_BACK L"\x91"
/// To vi's command mode, and from there to where text is put in: before, or behind the cursor.
#define KEY_COMMAND L"\x8a"
#define KEY_INSERT L"\x8b"
#define KEY_APPEND L"\x8c"

extern EditLine *cei_editor;
extern HistoryW *cei_entries;
extern ce_hooks cei_hooks;
extern int cei_has_colours;
/// Whether a number is being changed, which an escape puts back.
extern int cei_is_adjusting;
extern int cei_was_interrupted;
/// ^X ^E was pressed: the entry goes to `$EDITOR`.
extern int cei_is_for_editor;
extern int cei_is_vi;
/// How many entries earlier than the one being typed is shown; at least, since some keys are not counted.
extern int cei_earlier;
/// Whether a key came from the terminal since this was last set to 0.
extern int cei_has_typed;
extern double cei_suspended_seconds;
/// The terminal as it was when the editor was opened.
extern struct termios cei_outer_terminal;
/// What stands before an entry; between two characters \1 is what takes no room.
extern wchar_t cei_prompt_text[256];
/// Text that the next entry starts with, or that is to be put in.
extern wchar_t *cei_prefill;

/// Text that libedit edits, as everybody else knows it, and back.
char *cei_to_utf8(const wchar_t *text, size_t count);
wchar_t *cei_to_wide(const char *text);
char *cei_line_text(int *cursor);

int cei_columns(void);
int cei_rows(void);
/// Moves (row, column) over `text`, as libedit draws it.
void cei_advance(const wchar_t *text, const wchar_t *end, int width, int *row, int *column);
/// Where the entry's character `end` is, from the place where the prompt begins; NULL is the end of the prompt.
void cei_place(const wchar_t *end, int width, int *row, int *column);
/// What libedit edits in place of a character: another one, if it takes no cell.
wchar_t cei_stand_in(wchar_t c);
wchar_t cei_original(wchar_t c);
/// Writes a character of an entry as it is shown.
void cei_put(wchar_t c);
/// Puts a text and a cursor in place of the entry's.
void cei_replace(const wchar_t *text, int cursor);

/// Draws colours and a suggestion, unless they are there.
void cei_paint(void);
/// Draws the colours that stay, without what belongs to the cursor.
void cei_paint_for_good(void);
/// Removes what stands behind the entry, before a key changes it.
void cei_unpaint(void);
/// The entry was drawn again, so colours and suggestions are gone.
void cei_forget_paint(void);

/// Keeps what the entry is, to come back to, if it is another than last time.
void cei_note_state(void);
void cei_forget_states(void);
/// Puts the state before the present one back; 0 if there is none.
int cei_undo(void);

/// Shows the next earlier, or later, entry that begins as what was typed; 0 if none does.
int cei_search(int is_later);
void cei_forget_search(void);

/// A stream for what libedit writes, which shows characters as `cei_put` does.
FILE *cei_open_output(void);

/// Waits for a key; meanwhile the program goes on.
int cei_next_key(EditLine *unused, wchar_t *key);
/// Binds our keys, and those of the user's file.
void cei_bind_keys(void);

#endif
