# Writes each file after a line with its length in bytes.
set(content "")
file(WRITE ${OUT} "")
foreach(name IN LISTS FILES)
  file(SIZE ${name} size)
  file(READ ${name} text)
  file(APPEND ${OUT} "${size}\n${text}")
endforeach()
