# kdsd_embed(target symbol file): makes the bytes of `file` part of `target`, as symbols <symbol>_begin and <symbol>_end.
function(kdsd_embed target symbol file)
  set(assembly ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.S)
  file(WRITE ${assembly}.in
"    .section .rodata
    .global ${symbol}_begin
    .global ${symbol}_end
${symbol}_begin:
    .incbin \"${file}\"
${symbol}_end:
    .byte 0
    .section .note.GNU-stack,\"\",%progbits
")
  configure_file(${assembly}.in ${assembly} COPYONLY)
  set_source_files_properties(${assembly} PROPERTIES OBJECT_DEPENDS ${file})
  target_sources(${target} PRIVATE ${assembly})
endfunction()
