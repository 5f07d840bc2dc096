; The longer names are Neovim's, the shorter ones Helix's.

[
  (block)
  (match_body)
  (test_body)
  (with)
  (record)
  (record_update)
  (record_pattern)
  (record_type)
  (list)
  (list_pattern)
  (tuple)
  (parenthesized_expression)
  (arguments)
  (labelled_arguments)
  (parameters)
] @indent.begin @indent

["}" ")" "]"] @indent.branch @indent.end @outdent
