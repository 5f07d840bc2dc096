[
  (block)
  (match_body)
  (test_body)
  (record)
  (record_update)
  (record_type)
  (list)
  (arguments)
  (labelled_arguments)
  (type_declaration)
  (text)
  (raw_text)
] @fold
