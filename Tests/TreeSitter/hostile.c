// Drives the scanner as tree-sitter does, but over texts that are no programs, with any set of tokens expected, and with its
// state written and read between any two tokens: hostile FILE SEED COUNT. The texts in FILE are separated by NUL bytes.

#include "../../editors/tree-sitter/src/scanner.c"

#include <stdio.h>

typedef struct {
  TSLexer lexer;
  const int32_t *text;
  size_t length, at, end;
} Input;

static void show(Input *input) { input->lexer.lookahead = input->at < input->length ? input->text[input->at] : 0; }

static void advance(TSLexer *lexer, bool skips) {
  (void)skips;
  Input *input = (Input *)lexer;
  if (input->at < input->length) input->at++;
  show(input);
}

static void mark_end(TSLexer *lexer) { ((Input *)lexer)->end = ((Input *)lexer)->at; }

static bool eof(const TSLexer *lexer) { return ((const Input *)lexer)->at >= ((const Input *)lexer)->length; }

static uint64_t state;

static uint32_t any(uint32_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

static void scan_all(const int32_t *text, size_t length) {
  // A copy of its own length, so that reading on is found.
  int32_t *copy = malloc(length * sizeof *copy + 1);
  memcpy(copy, text, length * sizeof *copy);
  Input input = {.text = copy, .length = length};
  input.lexer.advance = advance;
  input.lexer.mark_end = mark_end;
  input.lexer.eof = eof;
  void *scanner = tree_sitter_frp_external_scanner_create();
  while (input.at < length) {
    bool valid[RECOVERING + 1] = {false};
    uint32_t kind = any(8);
    for (int token = 0; token <= RECOVERING; token++) {
      valid[token] = kind == 0 || (kind == 1 ? any(2) == 0 : token != RECOVERING && any(4) == 0);
    }
    size_t begin = input.at;
    input.end = begin;
    show(&input);
    bool is_found = tree_sitter_frp_external_scanner_scan(scanner, &input.lexer, valid);
    char *buffer = malloc(TREE_SITTER_SERIALIZATION_BUFFER_SIZE);
    unsigned size = tree_sitter_frp_external_scanner_serialize(scanner, buffer);
    if (size > TREE_SITTER_SERIALIZATION_BUFFER_SIZE) abort();
    if (is_found && !valid[input.lexer.result_symbol] && input.lexer.result_symbol > NEWLINE) abort();
    char *exact = malloc(size);
    memcpy(exact, buffer, size);
    // Now and then another tree is parsed meanwhile.
    if (any(4) == 0) {
      tree_sitter_frp_external_scanner_destroy(scanner);
      scanner = tree_sitter_frp_external_scanner_create();
    }
    tree_sitter_frp_external_scanner_deserialize(scanner, exact, any(1000) == 0 ? 0 : size);
    free(exact);
    free(buffer);
    input.at = is_found && input.end > begin ? input.end : begin + 1;
  }
  tree_sitter_frp_external_scanner_destroy(scanner);
  free(copy);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  state = strtoull(argv[2], NULL, 10);
  long count = strtol(argv[3], NULL, 10);
  FILE *file = fopen(argv[1], "rb");
  if (!file) return 2;
  static char all[1 << 24];
  size_t total = fread(all, 1, sizeof all - 1, file);
  fclose(file);
  static const char signs[] = "{}()[]\"\"\"#`\\/\n\n  \t-=>|:;,.!axT19_\r'";
  static int32_t text[8192];
  for (long round = 0; round < count; round++) {
    size_t length = 0;
    uint32_t kind = any(4);
    if (kind == 0) {
      for (length = any(4096); length > 0 && text[0] >= 0; length--) text[length - 1] = (int32_t)any(any(8) == 0 ? 0x110000 : 256);
      length = any(4096);
    } else if (kind == 1) {
      for (length = any(2048); length > 0; length--) text[length - 1] = signs[any(sizeof signs - 1)];
      length = any(2048);
    } else if (kind == 2) {
      // Deep nesting, beyond what the state can hold.
      length = any(8192);
      uint32_t repeated = 1 + any(4), first = any(sizeof signs - 1);
      for (size_t i = 0; i < length; i++) text[i] = signs[(first + i % repeated) % (sizeof signs - 1)];
    } else {
      size_t begin = any((uint32_t)total);
      while (begin > 0 && all[begin - 1] != 0) begin--;
      for (; length < 8000 && begin + length < total && all[begin + length] != 0; length++) text[length] = (unsigned char)all[begin + length];
      for (uint32_t changes = any(20); changes > 0 && length > 0; changes--) text[any((uint32_t)length)] = signs[any(sizeof signs - 1)];
    }
    scan_all(text, length);
  }
  printf("%ld texts\n", count);
  return 0;
}
