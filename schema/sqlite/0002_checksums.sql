-- Version 2: a checksum for every row, so that a changed byte is noticed wherever it lies. Rows of version 1 have none
-- until they are written again. The epochs of a store are a fact that every start adds to.

ALTER TABLE entries ADD COLUMN checksum INTEGER;  -- CRC-32 of the other columns, see store/checksum.h
ALTER TABLE store DROP COLUMN epoch;
