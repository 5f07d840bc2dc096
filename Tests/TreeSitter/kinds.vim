" Writes what each byte of some files is for Vim, with a dot behind each name: of a list of files to a file, both named by the environment.
set nocompatible noswapfile viminfo= encoding=utf-8
let &runtimepath = 'editors/vim,' . &runtimepath
syntax on
for file in readfile($FILES)
  execute 'edit! ' . fnameescape(file)
  setlocal syntax=frp
  let lines = ['FILE ' . file]
  for line in range(1, line('$'))
    call add(lines, join(map(range(1, len(getline(line))), 'synIDattr(synID(line, v:val, 1), "name") . "."'), ''))
  endfor
  call writefile(lines, $KINDS, 'a')
endfor
quitall!
