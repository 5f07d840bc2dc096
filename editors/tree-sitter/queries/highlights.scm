; No node is captured twice, so that it does not matter whether an editor takes the first or the last.

(shebang) @keyword.directive
(comment) @comment
(documentation) @comment.documentation

; Words

["input" "output" "type" "alias" "test"] @keyword
"import" @keyword.import
["if" "then" "else" "match"] @keyword.conditional
["as" "from" "to" "given" "expect" "every" "with" "at" "within"] @keyword

; Values

(boolean) @boolean
(integer) @number
[(float) (duration)] @number.float
["\"" "\"\"\""] @string
[(text_content) (raw_text)] @string
(escape_sequence) @string.escape
(interpolation ["{" "}"] @punctuation.special)

; Names

(definition name: (identifier) @function parameters: (parameters))
(definition name: (identifier) @variable !parameters)
(input name: (identifier) @variable)
(output name: (identifier) @variable)
(given input: (identifier) @variable)
(parameter pattern: (identifier) @variable.parameter)
(lambda parameters: (identifier) @variable.parameter)
(lambda_parameters (identifier) @variable.parameter)
(match_arm pattern: (identifier) @variable)
[
  (tuple_pattern (identifier) @variable)
  (list_pattern (identifier) @variable)
  (applied_pattern (identifier) @variable)
  (field_pattern pattern: (identifier) @variable)
  (as_pattern (identifier) @variable)
  (rest (identifier) @variable)
]
(call function: (identifier) @function.call)
(call function: (qualified_name name: (identifier) @function.call))
(pipe right: (identifier) @function.call)
(pipe right: (qualified_name name: (identifier) @function.call))
(given function: (qualified_name name: (identifier) @function.call))
(field_identifier) @property
(quoted_identifier) @property
(shorthand_field) @property
(module) @module
(type_identifier) @type
(type_variable) @type
(constructor) @constructor
(wildcard) @character.special

; Signs

["=" "=>" "->" "|" "..." "±"] @operator
(pipe operator: _ @operator)
(binary_expression operator: _ @operator)
(range operator: _ @operator)
(unary_expression operator: _ @operator)
(operator_function operator: _ @operator)
(negative_number "-" @operator)
(expect "==" @operator)
["," ";" ":" "."] @punctuation.delimiter
["(" ")" "[" "]"] @punctuation.bracket
(block ["{" "}"] @punctuation.bracket)
(match_body ["{" "}"] @punctuation.bracket)
(test_body ["{" "}"] @punctuation.bracket)
(record ["{" "}"] @punctuation.bracket)
(record_update ["{" "}"] @punctuation.bracket)
(record_pattern ["{" "}"] @punctuation.bracket)
(record_type ["{" "}"] @punctuation.bracket)
(with ["{" "}"] @punctuation.bracket)
(type_arguments ["<" ">"] @punctuation.bracket)
(type_parameters ["<" ">"] @punctuation.bracket)
