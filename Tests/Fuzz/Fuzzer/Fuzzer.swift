// The functions that libFuzzer calls. The environment variable REALM_FUZZ_TARGET names the target.

import CFuzzer
import Foundation
import FuzzTargets

private let fuzzer = Fuzzer()

private struct Fuzzer: Sendable {
  let target: FuzzTarget
  let run: FuzzRun

  init() {
    let name = ProcessInfo.processInfo.environment["REALM_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
      let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
      FileHandle.standardError.write(
        Data("REALM_FUZZ_TARGET is '\(name)', expected one of \(names)\n".utf8))
      exit(64)
    }
    do {
      self.target = target
      run = try FuzzRun(target)
    } catch {
      FileHandle.standardError.write(Data("\(target.rawValue): \(error)\n".utf8))
      exit(1)
    }
  }
}

@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ argumentCount: UnsafeMutablePointer<Int32>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> Int32 {
  _ = fuzzer
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do {
    try fuzzer.run.run(bytes)
  } catch {
    // libFuzzer keeps an input only if the process ends in a signal.
    fatalError("\(error)")
  }
  return 0
}

@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ data: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int, _ seed: UInt32
) -> Int {
  // Half of the changes know the form of the input; those of libFuzzer know what the code compares it with.
  guard seed & 1 == 0, let data = unsafe data else {
    return unsafe LLVMFuzzerMutate(data, count, limit)
  }
  let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: count))
  guard let changed = fuzzer.run.mutation(of: bytes, seed: UInt64(seed >> 1)) else {
    return unsafe LLVMFuzzerMutate(data, count, limit)
  }
  let kept = changed.prefix(limit)
  _ = unsafe UnsafeMutableBufferPointer(start: data, count: limit).update(fromContentsOf: kept)
  return kept.count
}
