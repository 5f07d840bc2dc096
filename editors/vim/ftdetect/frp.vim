autocmd BufNewFile,BufRead *.frp setfiletype frp
autocmd BufNewFile,BufRead * if did_filetype() == 0 && getline(1) =~# '^#!.*\<frp\>' | setfiletype frp | endif
