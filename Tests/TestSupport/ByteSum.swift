/// The sum of all bytes. This module is optimised, and those of tests are not.
public func sum(of bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 &+ UInt64($1) } }
