([(comment) (documentation)] @injection.content
  (#set! injection.language "comment"))
