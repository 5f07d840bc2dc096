// The system's C library, whatever it is called there, for all that an embedder links: one name to import. What is written
// for Linux alone (FRPIO, the commands) says Glibc.

#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Darwin)
  @_exported import Darwin
#else
  #error("frp needs a C library with the calls of POSIX")
#endif
