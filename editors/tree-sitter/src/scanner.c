// What the grammar of frp leaves to a scanner by hand: layout, the kinds of braces, brackets that hold patterns, and the pieces
// of texts. The rules are those at the beginning of grammar/frp.ebnf.
//
// State: the margin of the file, and for each open brace the margin of its lines, or that line breaks mean nothing in it.
//
// Cost: a brace, and a bracket that may hold a pattern, are read ahead up to what closes them, at most LOOK_LIMIT characters:
// a program is read about as often as its brackets nest.

#include "tree_sitter/parser.h"

#include <stdlib.h>
#include <string.h>

enum Token {
  ITEM_BREAK, NEWLINE, FILE_MARGIN, PATTERN_AHEAD,
  BLOCK_OPEN, RECORD_OPEN, PATTERN_OPEN, BRACE_CLOSE,
  INTERPOLATION_OPEN, TEXT_CONTENT, LONG_TEXT_CONTENT, RAW_TEXT,
  ANYWHERE, RECOVERING,
};

enum {
  // A frame is a margin up to this one, or one of the next three: line breaks mean nothing.
  LARGEST_MARGIN = 0x3FFF,
  RECORD_FRAME = 0x4000,
  TEXT_FRAME = 0x4001,
  LONG_TEXT_FRAME = 0x4002,
  // Besides, where nothing closes the brace.
  UNCLOSED = 0x8000,

  HEADER = 7,
  LARGEST_DEPTH = 500,
  LOOK_LIMIT = 100000,
  LOOK_DEPTH = 500,
};

typedef struct {
  uint16_t margin;
  uint16_t depth;
  // Braces that are open beyond the deepest that has a frame.
  uint32_t excess;
  // Changes with each line break that is found while an error is skipped: there an empty token counts only if it changes the
  // state.
  uint8_t parity;
  uint16_t frames[LARGEST_DEPTH];
} Scanner;

static uint16_t innermost(const Scanner *scanner) {
  if (scanner->excess > 0) return RECORD_FRAME;
  return scanner->depth > 0 ? scanner->frames[scanner->depth - 1] : scanner->margin;
}

static void push(Scanner *scanner, uint16_t frame) {
  if (scanner->depth < LARGEST_DEPTH) {
    scanner->frames[scanner->depth++] = frame;
  } else {
    scanner->excess++;
  }
}

static void pop(Scanner *scanner) {
  if (scanner->excess > 0) {
    scanner->excess--;
  } else if (scanner->depth > 0) {
    scanner->depth--;
  }
}

// ---- Characters ----

static bool is_blank(int32_t c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static bool is_name_start(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= 0x80 && c != 0xB1);
}

static bool is_name_part(int32_t c) { return is_name_start(c) || is_digit(c); }

// ---- Reading ahead ----

typedef struct {
  TSLexer *lexer;
  // How many characters more may be read.
  uint32_t left;
} Look;

// 0 at the end.
static int32_t peek(const Look *look) { return look->left == 0 ? 0 : look->lexer->lookahead; }

static void step(Look *look) {
  if (peek(look) == 0) return;
  look->left--;
  look->lexer->advance(look->lexer, false);
}

static bool step_if(Look *look, int32_t c) {
  if (peek(look) != c) return false;
  step(look);
  return true;
}

enum Sign {
  NAME, ITEM_WORD, WORD, QUOTED_NAME, OPENING, CLOSING, TEXT_BEGIN, LONG_TEXT_BEGIN, COLON, COMMA, SEMICOLON, EQUAL, ARROW,
  FAT_ARROW, DOT, ELLIPSIS, LESS, GREATER, GREATER_EQUAL, MINUS, OTHER, END,
};

typedef struct {
  enum Sign sign;
  // Of what opens or closes: ( [ or {.
  char bracket;
  bool starts_line;
  uint32_t column;
  // Whether a line that begins with it goes on with the line before.
  bool continues;
  bool is_as;
} Lexeme;

static void read_name(Look *look, Lexeme *lexeme) {
  char text[8] = {0};
  unsigned length = 0;
  while (is_name_part(peek(look))) {
    if (length < sizeof text - 1) text[length++] = peek(look) < 0x80 ? (char)peek(look) : '?';
    step(look);
  }
  static const char *const items[] = {"input", "output", "type", "alias", "import", "test"};
  static const char *const words[] = {"then", "else", "as", "if", "match", "true", "false", "null"};
  lexeme->sign = NAME;
  for (unsigned i = 0; i < sizeof items / sizeof *items; i++) {
    if (strcmp(text, items[i]) == 0) lexeme->sign = ITEM_WORD;
  }
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(text, words[i]) != 0) continue;
    lexeme->sign = WORD;
    lexeme->continues = i < 3;
    lexeme->is_as = i == 2;
  }
}

// `#"…"#`, and its long form where a line break follows three quotes. False if it is none or has no end.
static bool read_raw_text(Look *look) {
  unsigned hashes = 0, opening = 0;
  while (step_if(look, '#')) hashes++;
  while (opening < 3 && step_if(look, '"')) opening++;
  if (hashes == 0 || opening == 0) return false;
  bool is_long = false;
  if (opening == 3) {
    unsigned blanks = 0;
    for (; is_blank(peek(look)); blanks++) step(look);
    is_long = peek(look) == '\n';
    if (blanks > 0) opening = 1;
  }
  // Of a short text, quotes behind the first may already be the closing ones: `#""#`.
  unsigned needed = is_long ? 3 : 1, quotes = is_long ? 0 : opening - 1, found = 0;
  while (quotes < needed || found < hashes) {
    int32_t c = peek(look);
    if (c == 0 || (c == '\n' && !is_long)) return false;
    if (c == '"') {
      quotes = found > 0 ? 1 : quotes + 1;
      found = 0;
    } else if (c == '#' && quotes >= needed) {
      found++;
    } else {
      quotes = found = 0;
    }
    step(look);
  }
  return true;
}

// The next token, with the blanks, line breaks and comments before it; of a text only its opening quotes.
static Lexeme read_lexeme(Look *look) {
  Lexeme lexeme = {.sign = OTHER};
  int32_t c;
  for (;;) {
    c = peek(look);
    if (c == '\n') {
      lexeme.starts_line = true;
      lexeme.column = 0;
    } else if (c == ' ') {
      lexeme.column++;
    } else if (c == '\t') {
      lexeme.column = (lexeme.column / 8 + 1) * 8;
    } else if (c != '\r') {
      if (!is_name_start(c) && !is_digit(c) && c != '#') step(look);
      if (c != '/' || peek(look) != '/') break;
      while (peek(look) != 0 && peek(look) != '\n') step(look);
      continue;
    }
    step(look);
  }
  if (is_name_start(c)) {
    read_name(look, &lexeme);
    return lexeme;
  }
  if (is_digit(c)) {
    while (is_name_part(peek(look))) step(look);
    return lexeme;
  }
  int32_t d = peek(look);
  switch (c) {
    case 0: lexeme.sign = END; lexeme.continues = true; break;
    case '#':
      // Otherwise it is a mistake up to the end of the line.
      if (!read_raw_text(look)) while (peek(look) != 0 && peek(look) != '\n') step(look);
      break;
    case '(': case '[': case '{': lexeme.sign = OPENING; lexeme.bracket = (char)c; break;
    case ')': lexeme.sign = CLOSING; lexeme.bracket = '('; lexeme.continues = true; break;
    case ']': lexeme.sign = CLOSING; lexeme.bracket = '['; lexeme.continues = true; break;
    case '}': lexeme.sign = CLOSING; lexeme.bracket = '{'; lexeme.continues = true; break;
    case '"':
      lexeme.sign = TEXT_BEGIN;
      // `""` is a whole text.
      if (step_if(look, '"')) lexeme.sign = step_if(look, '"') ? LONG_TEXT_BEGIN : OTHER;
      break;
    case '`':
      while (peek(look) >= ' ' && peek(look) != '`') step(look);
      step_if(look, '`');
      lexeme.sign = QUOTED_NAME;
      break;
    case ';': lexeme.sign = SEMICOLON; break;
    case '.':
      lexeme.sign = DOT;
      if (step_if(look, '.')) {
        lexeme.sign = step_if(look, '.') ? ELLIPSIS : OTHER;
        lexeme.continues = lexeme.sign == OTHER;
      }
      break;
    case '!': lexeme.continues = step_if(look, '='); break;
    case '-':
      // Directly before its operand it is a sign.
      if (step_if(look, '>')) {
        lexeme.sign = ARROW;
        lexeme.continues = true;
      } else {
        lexeme.sign = MINUS;
        lexeme.continues = d == 0 || d == '=' || d == '\n' || is_blank(d);
      }
      break;
    case '=':
      lexeme.sign = step_if(look, '=') ? OTHER : step_if(look, '>') ? FAT_ARROW : EQUAL;
      lexeme.continues = true;
      break;
    case ':':
      lexeme.sign = d == ':' || d == '=' ? OTHER : COLON;
      lexeme.continues = true;
      break;
    case '<':
      lexeme.sign = step_if(look, '=') ? OTHER : LESS;
      lexeme.continues = true;
      break;
    case '>':
      lexeme.sign = step_if(look, '=') ? GREATER_EQUAL : GREATER;
      lexeme.continues = true;
      break;
    case '|':
      if (!step_if(look, '>')) step_if(look, '|');
      lexeme.continues = true;
      break;
    case ',': lexeme.sign = COMMA; lexeme.continues = true; break;
    // Operators, and what is none.
    default: lexeme.continues = true; break;
  }
  return lexeme;
}

// Reads a text up to its end or up to a value that is put in, which is when it says true.
static bool read_text(Look *look, bool is_long) {
  for (;;) {
    int32_t c = peek(look);
    if (c == 0 || (c == '\n' && !is_long)) return false;
    step(look);
    if (c == '{') return true;
    if (c == '\\') {
      if (peek(look) == '\n' && !is_long) return false;
      bool is_number = step_if(look, 'u');
      if (!is_number) step(look);
      if (is_number) step_if(look, '{');
    } else if (c == '"') {
      if (!is_long) return false;
      if (step_if(look, '"') && step_if(look, '"')) return false;
    }
  }
}

// Whether the tokens in a brace are those of a record: none, or `...`, or a name and `:` that are not a definition with its
// type, which a `=` follows.
typedef struct {
  enum { AT_FIRST, AFTER_NAME, IN_TYPE, IS_RECORD, IS_BLOCK } state;
  int angles;
} Kind;

static void note_kind(Kind *kind, enum Sign sign, char bracket) {
  switch (kind->state) {
    case AT_FIRST:
      if (sign == NAME || sign == ITEM_WORD || sign == WORD || sign == QUOTED_NAME) {
        kind->state = AFTER_NAME;
      } else {
        kind->state = sign == CLOSING || sign == ELLIPSIS ? IS_RECORD : IS_BLOCK;
      }
      break;
    case AFTER_NAME: kind->state = sign == COLON ? IN_TYPE : IS_BLOCK; break;
    case IN_TYPE:
      switch (sign) {
        case NAME: case DOT: case ARROW: break;
        case OPENING: if (bracket == '[') kind->state = IS_RECORD; break;
        // Of a bracket within the type.
        case CLOSING: if (bracket == '{') kind->state = IS_RECORD; break;
        case LESS: kind->angles++; break;
        case GREATER: kind->angles--; break;
        case COMMA: if (kind->angles <= 0) kind->state = IS_RECORD; break;
        case EQUAL: kind->state = IS_BLOCK; break;
        case GREATER_EQUAL: kind->state = kind->angles > 0 ? IS_BLOCK : IS_RECORD; break;
        default: kind->state = IS_RECORD; break;
      }
      break;
    default: break;
  }
}

typedef struct {
  bool is_closed;
  bool is_record;
  // The least column of the lines that begin directly inside.
  uint32_t margin;
} Bracket;

// Reads from behind an opening bracket to behind the one that closes it.
static Bracket read_bracket(Look *look, char bracket, uint32_t file_margin) {
  Bracket result = {.margin = LARGEST_MARGIN};
  Kind kind = {AT_FIRST, 0};
  // Brackets, and S and L for values in texts.
  char open[LOOK_DEPTH];
  unsigned depth = 0;
  open[depth++] = bracket;
  // Should nothing close it, what begins at the left margin of the file is not its own.
  uint32_t margin_before_left = LARGEST_MARGIN;
  bool is_left = false;
  while (depth > 0) {
    if (depth == LOOK_DEPTH || look->left == 0) {
      result.is_closed = true;
      result.is_record = kind.state == IS_RECORD || kind.state == IN_TYPE;
      return result;
    }
    Lexeme lexeme = read_lexeme(look);
    if (lexeme.sign == END && look->left == 0) continue;
    bool is_at_margin = lexeme.starts_line && lexeme.column <= file_margin;
    if (lexeme.sign == END || (lexeme.sign == ITEM_WORD && is_at_margin)) break;
    if (depth == 1) {
      note_kind(&kind, lexeme.sign, lexeme.bracket);
      if (lexeme.starts_line && !lexeme.continues) {
        if (lexeme.column < result.margin) result.margin = lexeme.column;
        if (is_at_margin) is_left = true;
        if (!is_left && lexeme.column < margin_before_left) margin_before_left = lexeme.column;
      }
    }
    bool goes_on_in_text = lexeme.sign == TEXT_BEGIN || lexeme.sign == LONG_TEXT_BEGIN, is_long = lexeme.sign == LONG_TEXT_BEGIN;
    if (lexeme.sign == OPENING) {
      open[depth++] = lexeme.bracket;
    } else if (lexeme.sign == CLOSING) {
      // What is open within is closed, too.
      unsigned found = depth;
      while (found > 0 && open[found - 1] != lexeme.bracket) {
        if (lexeme.bracket == '{' && (open[found - 1] == 'S' || open[found - 1] == 'L')) break;
        found--;
      }
      if (found == 0) continue;
      depth = found - 1;
      goes_on_in_text = open[depth] == 'S' || open[depth] == 'L';
      is_long = open[depth] == 'L';
    }
    if (goes_on_in_text && read_text(look, is_long)) open[depth++] = is_long ? 'L' : 'S';
  }
  result.is_closed = depth == 0;
  result.is_record = kind.state == IS_RECORD || (kind.state == IN_TYPE && !result.is_closed);
  if (!result.is_closed) {
    result.margin = margin_before_left;
  }
  return result;
}

// Whether what follows the bracket that was read says that it holds a pattern: of a lambda, or of a definition.
static bool is_pattern(Look *look, Bracket bracket) {
  if (!bracket.is_closed) return false;
  Lexeme after = read_lexeme(look);
  return after.sign == FAT_ARROW || after.sign == EQUAL || after.sign == COLON || after.is_as;
}

// Whether what begins with this name reads `name =`, `name: T =` or `name(…) =`.
static bool begins_definition(Look *look, uint32_t file_margin) {
  Lexeme second = read_lexeme(look);
  if (second.sign == OPENING && second.bracket == '(') {
    if (!read_bracket(look, '(', file_margin).is_closed) return false;
    second = read_lexeme(look);
    if (second.sign == COLON) return true;
  }
  if (second.sign != COLON) return second.sign == EQUAL;
  for (;;) {
    Lexeme lexeme = read_lexeme(look);
    if (lexeme.starts_line) return false;
    switch (lexeme.sign) {
      case EQUAL: case GREATER_EQUAL: return true;
      case NAME: case DOT: case ARROW: case LESS: case GREATER: break;
      case OPENING:
        if (!read_bracket(look, lexeme.bracket, file_margin).is_closed) return false;
        break;
      default: return false;
    }
  }
}

// The least column at which a line begins outside of brackets, of a file whose first token is in this one.
static uint32_t least_column(Look *look, uint32_t column) {
  for (;;) {
    Lexeme lexeme = read_lexeme(look);
    if (lexeme.sign == END) return column;
    bool begins = lexeme.starts_line && !lexeme.continues && lexeme.sign != MINUS;
    if (begins && lexeme.column < column) column = lexeme.column;
    bool is_long = lexeme.sign == LONG_TEXT_BEGIN;
    if (lexeme.sign == OPENING) {
      read_bracket(look, lexeme.bracket, 0);
    } else if (lexeme.sign == TEXT_BEGIN || is_long) {
      while (read_text(look, is_long) && read_bracket(look, '{', 0).is_closed) continue;
    }
  }
}

// ---- Tokens ----

static bool found(TSLexer *lexer, enum Token token) {
  lexer->result_symbol = token;
  return true;
}

// What belongs to a text itself, or the brace of a value that is put in.
static bool scan_text(Scanner *scanner, TSLexer *lexer, const bool *valid) {
  bool is_long = valid[LONG_TEXT_CONTENT], has_content = false;
  for (;; has_content = true) {
    int32_t c = lexer->lookahead;
    if (c == '{' && !has_content && valid[INTERPOLATION_OPEN]) {
      lexer->advance(lexer, false);
      lexer->mark_end(lexer);
      push(scanner, is_long ? LONG_TEXT_FRAME : TEXT_FRAME);
      return found(lexer, INTERPOLATION_OPEN);
    }
    if (c == '{' || c == '\\' || lexer->eof(lexer) || (!is_long && (c == '"' || c == '\n'))) break;
    if (c == '"') {
      lexer->mark_end(lexer);
      lexer->advance(lexer, false);
      if (lexer->lookahead != '"') continue;
      lexer->advance(lexer, false);
      if (lexer->lookahead == '"') return has_content && found(lexer, LONG_TEXT_CONTENT);
      continue;
    }
    lexer->advance(lexer, false);
  }
  lexer->mark_end(lexer);
  return has_content && found(lexer, is_long ? LONG_TEXT_CONTENT : TEXT_CONTENT);
}

static bool scan_brace(Scanner *scanner, TSLexer *lexer, const bool *valid) {
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  Look look = {lexer, LOOK_LIMIT};
  Bracket bracket = read_bracket(&look, '{', scanner->margin);
  bool has_pattern = is_pattern(&look, bracket);
  enum Token token = has_pattern && valid[PATTERN_OPEN] ? PATTERN_OPEN
    : bracket.is_record && valid[RECORD_OPEN] ? RECORD_OPEN
    : valid[BLOCK_OPEN] ? BLOCK_OPEN
    : valid[RECORD_OPEN] ? RECORD_OPEN : PATTERN_OPEN;
  if (!valid[token]) return false;
  uint32_t frame = token == BLOCK_OPEN ? bracket.margin : RECORD_FRAME;
  push(scanner, (uint16_t)(bracket.is_closed ? frame : frame | UNCLOSED));
  return found(lexer, token);
}

// Whether the line that begins here begins an item, a statement, an arm or a step.
static bool scan_line(Scanner *scanner, TSLexer *lexer, const bool *valid, uint32_t column) {
  // A short text ends with its line, whatever is open in it: nothing can begin, and that is a mistake.
  bool is_cut = innermost(scanner) == TEXT_FRAME;
  while (innermost(scanner) == TEXT_FRAME) pop(scanner);
  uint16_t frame = innermost(scanner);
  uint32_t margin = frame & ~UNCLOSED;
  bool is_in_file = scanner->depth == 0 && scanner->excess == 0;
  bool is_left = column <= scanner->margin;
  bool is_at_margin = !is_in_file && margin <= LARGEST_MARGIN && column <= margin;
  if (!is_left && !is_at_margin) return is_cut && found(lexer, NEWLINE);
  Look look = {lexer, LOOK_LIMIT};
  // What is looked at again afterwards is not read: a line that begins with it goes on with nothing.
  int32_t c = lexer->lookahead;
  Lexeme first = {.sign = OTHER};
  if (c != '{' && c != '(' && c != '[' && c != '#') first = read_lexeme(&look);
  if (first.sign == SEMICOLON || first.continues) return is_cut && found(lexer, NEWLINE);
  bool begins_item = false, begins = is_cut || (is_at_margin && valid[NEWLINE]);
  if (is_left && first.sign == ITEM_WORD) {
    begins_item = frame != LONG_TEXT_FRAME;
  } else if (is_left && is_in_file && valid[ITEM_BREAK]) {
    begins_item = first.sign != MINUS;
  } else if (first.sign == NAME && begins_definition(&look, scanner->margin)) {
    // Where none can stand: a bracket or an operand is missing before it.
    begins_item = is_left && (is_in_file || frame & UNCLOSED);
    begins = true;
  }
  if (!begins_item && !begins) return false;
  if (begins_item) {
    scanner->depth = 0;
    scanner->excess = 0;
  }
  if (valid[RECOVERING]) scanner->parity ^= 1;
  return found(lexer, begins_item ? ITEM_BREAK : NEWLINE);
}

void *tree_sitter_frp_external_scanner_create(void) { return calloc(1, sizeof(Scanner)); }

void tree_sitter_frp_external_scanner_destroy(void *payload) { free(payload); }

unsigned tree_sitter_frp_external_scanner_serialize(void *payload, char *buffer) {
  const Scanner *scanner = payload;
  memcpy(buffer, &scanner->margin, 2);
  memcpy(buffer + 2, &scanner->excess, 4);
  memcpy(buffer + 6, &scanner->parity, 1);
  memcpy(buffer + HEADER, scanner->frames, scanner->depth * sizeof *scanner->frames);
  return HEADER + scanner->depth * (unsigned)sizeof *scanner->frames;
}

void tree_sitter_frp_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  Scanner *scanner = payload;
  memset(scanner, 0, sizeof *scanner);
  if (length < HEADER) return;
  memcpy(&scanner->margin, buffer, 2);
  memcpy(&scanner->excess, buffer + 2, 4);
  memcpy(&scanner->parity, buffer + 6, 1);
  scanner->depth = (uint16_t)((length - HEADER) / sizeof *scanner->frames);
  memcpy(scanner->frames, buffer + HEADER, scanner->depth * sizeof *scanner->frames);
}

bool tree_sitter_frp_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Scanner *scanner = payload;
  bool is_recovering = valid[RECOVERING];
  if (!is_recovering && (valid[TEXT_CONTENT] || valid[LONG_TEXT_CONTENT])) {
    if (scan_text(scanner, lexer, valid)) return true;
    // A short text without its end: the line break may begin what follows.
    if (valid[LONG_TEXT_CONTENT] || lexer->lookahead != '\n') return false;
  }
  bool is_first = valid[FILE_MARGIN] && !is_recovering, starts_line = false;
  uint32_t column = 0;
  for (;; lexer->advance(lexer, true)) {
    int32_t c = lexer->lookahead;
    if (c == '\n') {
      starts_line = true;
      column = 0;
    } else if (c == ' ') {
      column++;
    } else if (c == '\t') {
      column = (column / 8 + 1) * 8;
    } else if (c != '\r') {
      break;
    }
  }
  lexer->mark_end(lexer);
  int32_t c = lexer->lookahead;
  // A comment, or an operator.
  if (c == '/' || lexer->eof(lexer)) return false;
  if (column > LARGEST_MARGIN) column = LARGEST_MARGIN;
  if (is_first && column > 0) {
    Look look = {lexer, LOOK_LIMIT};
    scanner->margin = (uint16_t)least_column(&look, column);
    return found(lexer, FILE_MARGIN);
  }
  if (starts_line && !is_first && (c != '}' || innermost(scanner) == TEXT_FRAME) && scan_line(scanner, lexer, valid, column)) {
    return true;
  }
  if (c == '}' && valid[BRACE_CLOSE]) {
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    pop(scanner);
    return found(lexer, BRACE_CLOSE);
  }
  // A line was looked at in vain unless it begins with one of these.
  if (c == '{') return (valid[BLOCK_OPEN] || valid[RECORD_OPEN] || valid[PATTERN_OPEN]) && scan_brace(scanner, lexer, valid);
  if ((c == '(' || c == '[') && valid[PATTERN_AHEAD] && !is_recovering) {
    Look look = {lexer, LOOK_LIMIT};
    step(&look);
    return is_pattern(&look, read_bracket(&look, (char)c, scanner->margin)) && found(lexer, PATTERN_AHEAD);
  }
  if (c == '#' && valid[RAW_TEXT]) {
    Look look = {lexer, UINT32_MAX};
    if (!read_raw_text(&look)) return false;
    lexer->mark_end(lexer);
    return found(lexer, RAW_TEXT);
  }
  return false;
}
