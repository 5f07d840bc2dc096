// The grammar of frp for tree-sitter. grammar/frp.ebnf says what a program is; rules here have its names where they can.
//
// src/scanner.c finds what no LR(1) grammar can: where lines begin a statement (layout), which kind of braces `{` opens, and
// whether a bracket holds a pattern. So there are no conflicts here.

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const LEVEL = {pipe: 1, or: 2, and: 3, comparison: 4, range: 5, append: 6, sum: 7, product: 8, unary: 9, call: 10};

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
const WORDS = [
  'if', 'then', 'else', 'match', 'true', 'false', 'as', 'null', 'input', 'output', 'type', 'alias', 'import', 'test',
];

const ANY = '([^\\r\\n]|\\r+[^\\r\\n])*';
const REST = `(([^/\\r\\n]|\\r+[^/\\r\\n])${ANY})?`;

// A number may not end in a `_`; a part of it may.
const WHOLE = '[0-9][0-9_]*';
const DIGITS = '[0-9](_*[0-9])*';

const list1 = rule => seq(rule, repeat(seq(',', rule)));
const list = rule => seq(repeat(seq(rule, ',')), optional(rule));

// What stands in braces. The margin of its lines is known to the scanner from the opening one on.
const lines = ($, rule) => seq(optional($._separators), optional(seq(rule, repeat(seq($._separators, rule)), optional($._separators))));

const binary = (level, operator, left, right, associate = prec.left) =>
  associate(level, seq(field('left', left), field('operator', operator), field('right', right)));

module.exports = grammar({
  name: 'frp',

  externals: $ => [
    $._item_break, // a line begins an item of the file
    $._newline, // a line begins a statement, an arm or a step
    $._file_margin, // the first item stands right of the first column
    $._pattern_ahead, // what the next bracket holds is a pattern
    $._block_open, $._record_open, $._pattern_open, $._brace_close, // `{` and `}`
    $._interpolation_open,
    $.text_content, $._long_text_content, $.raw_text,
    $._anywhere, // never found; as an extra it has the scanner look at each place
    $._recovering, // in no rule: valid only while an error is skipped
  ],

  extras: $ => [/[ \t\r\n]/, $.comment, $.documentation, $._anywhere],

  word: $ => $.identifier,

  supertypes: $ => [$._item, $._expression, $._pattern, $._type],

  inline: $ => [$._binder, $._local_binder, $._upper_name],

  rules: {
    // ---- Items ----

    source_file: $ => seq(
      optional($.shebang),
      optional($._file_margin),
      optional($._item_separators),
      optional(seq($._item, repeat(seq($._item_separators, $._item)), optional($._item_separators))),
    ),

    _item_separators: $ => choice(
      $._item_break,
      seq(optional($._item_break), repeat1(seq(';', optional($._item_break)))),
    ),
    _separators: $ => choice($._newline, seq(optional($._newline), repeat1(seq(';', optional($._newline))))),

    _item: $ => choice($.definition, $.input, $.output, $.type_declaration, $.alias_declaration, $.import, $.test),

    definition: $ => seq(
      choice(
        seq(field('name', $.identifier), optional(field('parameters', $.parameters))),
        field('pattern', choice($._binder, alias($.as_binder, $.as_pattern))),
      ),
      $._definition_end,
    ),
    // The same in a block, where a call could stand as well.
    local_definition: $ => seq(
      choice(
        seq(field('name', $.identifier), optional(seq($._pattern_ahead, field('parameters', $.parameters)))),
        field('pattern', choice($._local_binder, alias($.local_as_binder, $.as_pattern))),
      ),
      $._definition_end,
    ),
    _definition_end: $ => seq(optional($._type_annotation), '=', field('value', $._expression)),
    _type_annotation: $ => seq(':', field('type', $._type)),

    _binder: $ => choice($.wildcard, $.tuple_pattern, $.record_pattern, $.list_pattern, $.applied_pattern),
    as_binder: $ => seq(choice($.identifier, $._binder), 'as', field('name', $.identifier)),
    _local_binder: $ => choice(
      $.wildcard,
      seq($._pattern_ahead, choice($.tuple_pattern, $.list_pattern)),
      $.record_pattern,
      alias($.local_applied_pattern, $.applied_pattern),
    ),
    local_as_binder: $ => seq(choice($.identifier, $._local_binder), 'as', field('name', $.identifier)),

    parameters: $ => seq('(', list($.parameter), ')'),
    parameter: $ => seq(field('pattern', $._pattern), optional($._type_annotation)),

    input: $ => seq(
      'input', field('name', $.identifier), $._type_annotation,
      optional(seq('=', field('value', $._expression))),
      optional(seq('from', field('source', $._expression))),
    ),
    output: $ => seq(
      'output',
      choice($._output_definition, list1(field('name', $.identifier))),
    ),
    _output_definition: $ => seq(
      alias($.output_definition, $.definition), optional(seq('to', field('sink', $._expression)))),
    output_definition: $ => seq(field('name', $.identifier), optional(field('parameters', $.parameters)), $._definition_end),

    type_declaration: $ => seq(
      'type', field('name', alias($._upper, $.type_identifier)), optional($.type_parameters), '=', optional('|'),
      $.variant, repeat(seq('|', $.variant)),
    ),
    variant: $ => seq(
      field('name', alias($._upper, $.constructor)),
      optional(seq('(', choice(list1($.field_type), list1($._type)), optional(','), ')')),
    ),
    field_type: $ => seq(field('name', $._field_name), $._type_annotation),
    alias_declaration: $ => seq(
      'alias', field('name', alias($._upper, $.type_identifier)), optional($.type_parameters), '=', field('type', $._type)),
    type_parameters: $ => seq('<', list1(alias($.identifier, $.type_variable)), '>'),
    import: $ => seq('import', field('module', alias($._upper, $.module))),

    // ---- Types ----

    _type: $ => choice($._type_primary, $.function_type),
    _type_primary: $ => choice(
      alias($.identifier, $.type_variable), $.named_type, $.record_type, $.unit_type, $.parenthesized_type, $.tuple_type),
    function_type: $ => prec.right(seq(field('parameter', $._type_primary), '->', field('result', $._type))),
    named_type: $ => seq(
      optional(seq(field('module', alias($._upper, $.module)), '.')),
      field('name', alias($._upper, $.type_identifier)),
      optional($.type_arguments),
    ),
    type_arguments: $ => seq('<', list1($._type), '>'),
    record_type: $ => seq(alias($._record_open, '{'), list($.field_type), alias($._brace_close, '}')),
    unit_type: _ => seq('(', ')'),
    parenthesized_type: $ => seq('(', $._type, optional(','), ')'),
    tuple_type: $ => seq('(', $._type, repeat1(seq(',', $._type)), optional(','), ')'),

    // ---- Expressions. What is open (a lambda, `if`) reaches as far right as it can, so it stands last. ----

    _expression: $ => choice($._closed, $._open),

    _closed: $ => choice(
      $._range,
      $.pipe,
      alias($.comparison, $.binary_expression),
      alias($.logical, $.binary_expression),
    ),
    _range: $ => choice($._sum, $.range),
    _sum: $ => choice($._postfix, $.constructor_name, $.field_function, $.unary_expression, $.binary_expression),

    pipe: $ => binary(LEVEL.pipe, '|>', $._closed, $._closed),
    logical: $ => choice(
      binary(LEVEL.or, '||', $._closed, $._closed),
      binary(LEVEL.and, '&&', $._closed, $._closed),
    ),
    comparison: $ => binary(LEVEL.comparison, choice(...COMPARISONS), $._range, $._range),
    range: $ => binary(LEVEL.range, '..', $._sum, $._sum),
    binary_expression: $ => choice(
      binary(LEVEL.append, '++', $._sum, $._sum, prec.right),
      binary(LEVEL.sum, choice('+', '-'), $._sum, $._sum),
      binary(LEVEL.product, choice('*', '/', '%'), $._sum, $._sum),
    ),
    unary_expression: $ => prec(LEVEL.unary, seq(field('operator', choice('-', '!')), field('operand', $._sum))),

    _open: $ => choice(
      $.lambda,
      $.if_expression,
      alias($.open_pipe, $.pipe),
      alias($.open_range, $.range),
      alias($.open_binary, $.binary_expression),
      alias($.open_unary, $.unary_expression),
    ),
    open_pipe: $ => binary(LEVEL.pipe, '|>', $._closed, $._open),
    open_range: $ => binary(LEVEL.range, '..', $._sum, $._open),
    open_binary: $ => choice(
      binary(LEVEL.or, '||', $._closed, $._open),
      binary(LEVEL.and, '&&', $._closed, $._open),
      binary(LEVEL.comparison, choice(...COMPARISONS), $._range, $._open),
      binary(LEVEL.append, '++', $._sum, $._open, prec.right),
      binary(LEVEL.sum, choice('+', '-'), $._sum, $._open),
      binary(LEVEL.product, choice('*', '/', '%'), $._sum, $._open),
    ),
    open_unary: $ => prec(LEVEL.unary, seq(field('operator', choice('-', '!')), field('operand', $._open))),

    lambda: $ => seq(field('parameters', $._lambda_parameters), '=>', field('body', $._expression)),
    _lambda_parameters: $ => choice(
      $.identifier,
      $.wildcard,
      seq($._pattern_ahead, choice($.lambda_parameters, $.list_pattern)),
      $.record_pattern,
      alias($.lambda_constructor, $.constructor_pattern),
      alias($.local_applied_pattern, $.applied_pattern),
    ),
    lambda_parameters: $ => seq('(', list($._pattern), ')'),
    lambda_constructor: $ => $._upper_name,
    local_applied_pattern: $ => seq($._upper_name, $._pattern_ahead, $._pattern_arguments),

    if_expression: $ => seq(
      'if', field('condition', $._expression),
      'then', field('consequence', $._expression),
      'else', field('alternative', $._expression),
    ),

    _postfix: $ => choice(
      $.identifier, $.integer, $.float, $.duration, $.boolean, $.text, $.raw_text, $.unit, $.parenthesized_expression, $.tuple,
      $.operator_function, $.list, $.record, $.record_update, $.block, $.match_expression, $.qualified_name, $.call,
      $.field_access,
    ),
    call: $ => prec(LEVEL.call, choice(
      seq(field('function', $._postfix), field('arguments', $.arguments)),
      seq(field('function', $.constructor_name),
        field('arguments', choice($.arguments, $.labelled_arguments))),
    )),
    arguments: $ => seq('(', list($._expression), ')'),
    labelled_arguments: $ => seq('(', list1($.labelled_argument), optional(','), ')'),
    labelled_argument: $ => seq(field('label', $._field_name), ':', field('value', $._expression)),
    field_access: $ => prec(LEVEL.call, seq(field('value', $._postfix), '.', field('field', $._field_name))),
    field_function: $ => seq('.', field('field', $._field_name)),
    constructor_name: $ => $._upper_name,
    qualified_name: $ => seq(
      field('module', alias($._upper, $.module)), '.',
      field('name', choice($.identifier, alias('as', $.identifier))),
    ),
    _upper_name: $ => seq(
      optional(seq(field('module', alias($._upper, $.module)), '.')),
      field('name', alias($._upper, $.constructor)),
    ),

    unit: _ => seq('(', ')'),
    parenthesized_expression: $ => seq('(', $._expression, ')'),
    tuple: $ => seq('(', $._expression, repeat1(seq(',', $._expression)), optional(','), ')'),
    operator_function: _ => seq(
      '(', field('operator', choice('||', '&&', ...COMPARISONS, '..', '++', '+', '-', '*', '/', '%')), ')'),

    list: $ => seq('[', list(choice($._expression, $.spread)), ']'),
    spread: $ => seq('...', $._expression),

    record: $ => seq(alias($._record_open, '{'), list($.record_field), alias($._brace_close, '}')),
    record_field: $ => seq(field('name', $._field_name), ':', field('value', $._expression)),
    record_update: $ => seq(
      alias($._record_open, '{'), '...', field('record', $._expression),
      repeat(seq(',', $.updated_field)), optional(','), alias($._brace_close, '}'),
    ),
    updated_field: $ => seq(
      field('name', $._field_name), repeat(seq('.', field('name', $._field_name))), ':', field('value', $._expression)),

    block: $ => seq(
      alias($._block_open, '{'),
      optional($._separators),
      repeat(seq(alias($.local_definition, $.definition), $._separators)),
      field('value', $._expression),
      optional($._separators),
      alias($._brace_close, '}'),
    ),

    match_expression: $ => seq('match', field('subject', $._expression), field('body', $.match_body)),
    match_body: $ => seq(alias($._block_open, '{'), lines($, $.match_arm), alias($._brace_close, '}')),
    match_arm: $ => seq(
      field('pattern', $._pattern), optional(seq('if', field('guard', $._closed))), '=>', field('value', $._expression)),

    // ---- Patterns ----

    _pattern: $ => choice($._pattern_primary, $.alternatives, $.as_pattern),
    alternatives: $ => seq($._pattern_primary, repeat1(seq('|', $._pattern_primary))),
    as_pattern: $ => seq(choice($._pattern_primary, $.alternatives), 'as', field('name', $.identifier)),
    _pattern_primary: $ => choice(
      $.identifier, $.wildcard, $.integer, $.float, $.negative_number, $.boolean, alias($.plain_text, $.text), $.raw_text,
      $.constructor_pattern, $.applied_pattern, $.tuple_pattern, $.record_pattern, $.list_pattern,
    ),
    negative_number: $ => seq('-', choice($.integer, $.float)),
    constructor_pattern: $ => $._upper_name,
    applied_pattern: $ => seq($._upper_name, $._pattern_arguments),
    _pattern_arguments: $ => seq('(', choice(list1($.field_pattern), list1($._pattern)), optional(','), ')'),
    field_pattern: $ => seq(field('name', $._field_name), ':', field('pattern', $._pattern)),
    tuple_pattern: $ => seq('(', list($._pattern), ')'),
    record_pattern: $ => seq(
      alias($._pattern_open, '{'), list(choice(alias($.identifier, $.shorthand_field), $.field_pattern)),
      alias($._brace_close, '}'),
    ),
    list_pattern: $ => seq('[', list(choice($._pattern, $.rest)), ']'),
    rest: $ => seq('...', optional(choice($.identifier, $.wildcard))),

    // ---- Tests. Their words are names everywhere else. ----

    test: $ => seq(
      'test', field('name', choice(alias($.plain_text, $.text), $.raw_text)), field('body', $.test_body)),
    test_body: $ => seq(alias($._block_open, '{'), lines($, choice($.given, $.expect)), alias($._brace_close, '}')),
    given: $ => seq(
      'given',
      choice(
        field('input', $.identifier),
        seq(field('function', $.qualified_name), optional(alias($.tuple_pattern, $.parameters))),
      ),
      '=', field('value', $._expression),
      optional(seq('every', field('every', $._range))),
      optional($.with),
    ),
    expect: $ => seq(
      'expect',
      field('subject', choice($._range, alias($.subject, $.pipe))),
      choice(
        seq(
          'at', field('at', $._range), '==', field('value', $._expression),
          optional(seq(choice('±', 'within'), field('within', $._range))),
        ),
        seq('==', field('value', $._expression), 'every', field('every', $._range), optional($.with)),
      ),
    ),
    subject: $ => binary(LEVEL.pipe, '|>', choice($._range, alias($.subject, $.pipe)), $._range),
    with: $ => seq('with', alias($._record_open, '{'), list($.marble), alias($._brace_close, '}')),
    marble: $ => seq(
      field('name', choice(
        $.identifier, alias($._upper, $.constructor), $.integer, $.wildcard, alias($.plain_text, $.text), $.raw_text)),
      ':', field('value', $._expression),
    ),

    // ---- Texts ----

    text: $ => choice(
      seq('"', repeat(choice($.text_content, $.escape_sequence, $.interpolation)), token.immediate('"')),
      seq('"""', repeat(choice(
        alias($._long_text_content, $.text_content), $.escape_sequence, alias($.line_join, $.escape_sequence),
        $.interpolation)), token.immediate('"""')),
    ),
    plain_text: $ => choice(
      seq('"', repeat(choice($.text_content, $.escape_sequence)), token.immediate('"')),
      seq('"""', repeat(choice(
        alias($._long_text_content, $.text_content), $.escape_sequence, alias($.line_join, $.escape_sequence))), token.immediate('"""')),
    ),
    escape_sequence: _ => token.immediate(/\\([0tnr"'\\{}]|u\{[0-9A-Fa-f]{1,8}\})/),
    line_join: _ => token.immediate(/\\[ \t\r]*\n/),
    interpolation: $ => seq(alias($._interpolation_open, '{'), $._expression, alias($._brace_close, '}')),

    // ---- Other tokens ----

    identifier: _ => /([a-z\p{Ll}\p{Lm}\p{Lo}]|_[\p{XID_Continue}])[\p{XID_Continue}]*/,
    _upper: _ => /[A-Z\p{Lu}\p{Lt}][\p{XID_Continue}]*/,
    wildcard: _ => '_',
    _field_name: $ => choice(
      alias($.identifier, $.field_identifier), ...WORDS.map(word => alias(word, $.field_identifier)), $.quoted_identifier),
    quoted_identifier: _ => /`[^`\x00-\x1f]+`/,

    integer: _ => /[0-9](_*[0-9])*|0[xX]_*[0-9A-Fa-f](_*[0-9A-Fa-f])*|0[oO]_*[0-7](_*[0-7])*|0[bB]_*[01](_*[01])*/,
    float: _ => new RegExp(`${WHOLE}[.]${DIGITS}|${WHOLE}([.]${WHOLE})?[eE][+-]?${DIGITS}`),
    duration: _ => new RegExp(`(${WHOLE}[.])?${DIGITS}(ns|us|ms|s|min|h)`),
    boolean: _ => choice('true', 'false'),

    shebang: _ => new RegExp(`#!${ANY}`),
    // Three slashes, not four. The carriage return of a line break is no part of them.
    documentation: _ => new RegExp(`///${REST}`),
    comment: _ => new RegExp(`//${REST}|////${ANY}`),
  },
});
