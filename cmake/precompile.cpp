// The unit that carries the common precompiled headers; it has no code of its own.
