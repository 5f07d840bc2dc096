[(definition) (lambda) (block) (match_arm)] @local.scope

(parameter pattern: (identifier) @local.definition)
(lambda parameters: (identifier) @local.definition)
(lambda_parameters (identifier) @local.definition)
(match_arm pattern: (identifier) @local.definition)
(block (definition name: (identifier) @local.definition))
(tuple_pattern (identifier) @local.definition)
(list_pattern (identifier) @local.definition)
(rest (identifier) @local.definition)
(applied_pattern (identifier) @local.definition)
(field_pattern pattern: (identifier) @local.definition)
(as_pattern name: (identifier) @local.definition)
(shorthand_field) @local.definition

(identifier) @local.reference
