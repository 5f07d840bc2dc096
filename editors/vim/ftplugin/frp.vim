" Settings of the language. `gq` and `=` leave the layout to `frp fmt`.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s
setlocal comments=:///,://
setlocal formatoptions-=t formatoptions+=croql
setlocal expandtab shiftwidth=2 softtabstop=2 tabstop=8
setlocal suffixesadd=.frp
setlocal include=^import\ \\zs\\u\\w*
let &l:makeprg = 'frp check --error-format short %:S'
let &l:errorformat = '%f:%l:%c: %trror[%m,%f:%l:%c: %tarning[%m'

let b:undo_ftplugin = 'setlocal commentstring< comments< formatoptions< expandtab< shiftwidth< softtabstop< tabstop< suffixesadd< include< makeprg< errorformat<'
