" Colours of the language. The language server, where there is one, tells constants, behaviors and events apart.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax sync minlines=200

syntax match frpOperator "|>\|=>\|->\|++\|||\|&&\|==\|!=\|<=\|>=\|\.\.\.\|\.\.\|[-+*/%<>!=|±]"
syntax match frpNumber "\<\d[0-9_]*\>\|\<0x[0-9A-Fa-f_]\+\>\|\<0b[01_]\+\>\|\<0o[0-7_]\+\>"
syntax match frpFloat "\<\d[0-9_]*\.\d[0-9_]*\([eE][-+]\?\d\+\)\?\>\|\<\d[0-9_]*[eE][-+]\?\d\+\>"
syntax match frpDuration "\<\d[0-9_]*\(\.\d[0-9_]*\)\?\(ns\|us\|ms\|min\|s\|h\)\>"

syntax match frpDeclaration "\(^\|;\@<=\)\s*\(input\|output\|type\|alias\|import\|test\)\>\(\s*:\)\@!"
syntax match frpTest "\(^\s\+\|[{;]\@<=\s*\)\(given\|expect\)\ze\s"
syntax match frpTest "\.\@<!\<\(every\|with\|at\|within\|from\|to\)\ze\s\+[A-Za-z0-9_{"#(]"
syntax match frpField "\.\s*\zs\l\w*"
syntax match frpLabel "\<\l\w*\ze\s*:" contains=NONE
" Names of fields are none of these words.
syntax match frpConditional "\.\@<!\<\(if\|then\|else\|match\)\>\(\s*:\)\@!"
syntax match frpWord "\.\@<!\<as\>\(\s*:\)\@!"
syntax match frpBoolean "\.\@<!\<\(true\|false\)\>\(\s*:\)\@!"
syntax match frpType "\<\u\w*\>"
syntax match frpFunction "^\l\w*\ze("
syntax keyword frpTime time
syntax keyword frpEvent start end never
syntax region frpQuoted start="`" end="`" oneline

syntax match frpEscape "\\\([0tnr\"'\\{}]\|u{[0-9A-Fa-f]\+}\|$\)" contained
syntax region frpInterpolation matchgroup=frpDelimiter start="{" end="}" contained contains=TOP,frpTest
syntax region frpBraces start="{" end="}" transparent contained containedin=frpInterpolation,frpBraces contains=TOP,frpTest
syntax region frpString start=+"+ end=+"+ end=+$+ contains=frpEscape,frpInterpolation
syntax region frpString start=+"""+ end=+"""+ contains=frpEscape,frpInterpolation
syntax region frpRaw start=+\z(#\+\)"+ end=+"\z1+ end=+$+
syntax region frpRaw start=+\z(#\+\)"""\s*$+ end=+"""\z1+

syntax match frpComment "//.*$" contains=@Spell,frpTodo
syntax match frpDocumentation "///.*$" contains=@Spell,frpTodo
syntax match frpShebang "\%^#!.*$"
syntax keyword frpTodo TODO FIXME contained

highlight default link frpOperator Operator
highlight default link frpNumber Number
highlight default link frpFloat Float
highlight default link frpDuration Number
highlight default link frpConditional Conditional
highlight default link frpWord Keyword
highlight default link frpBoolean Boolean
highlight default link frpDeclaration Keyword
highlight default link frpTest Keyword
highlight default link frpField Identifier
highlight default link frpLabel Identifier
highlight default link frpType Type
highlight default link frpFunction Function
highlight default link frpTime Identifier
highlight default link frpEvent Special
highlight default link frpQuoted Identifier
highlight default link frpEscape SpecialChar
highlight default link frpDelimiter Delimiter
highlight default link frpString String
highlight default link frpRaw String
highlight default link frpComment Comment
highlight default link frpDocumentation SpecialComment
highlight default link frpShebang PreProc
highlight default link frpTodo Todo

let b:current_syntax = 'frp'
