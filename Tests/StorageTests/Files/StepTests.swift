import Foundation
import TestSupport
import Testing

@testable import RealmStorage

/// Files are read and written in pieces. Where one ends must not matter.
@Suite("Edges of pieces of files")
struct StepTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: Reading

  @Test("lines are the same, however much is read at a time", arguments: [10, 0] as [UInt8])
  func lines(separator: UInt8) throws {
    let texts = ["", "\n", "\n\n", "a", "a\n", "é\r\n\n日本\nlonger line\n\nlast", "\n\nx\ny\n"]
    for text in texts {
      let bytes = text.utf8.map { $0 == 10 ? separator : $0 }
      let path = try folder.write(bytes, to: "lines")
      var expected = bytes.split(separator: separator, omittingEmptySubsequences: false)
      // What comes after the last separator is a line only if there is something.
      if expected.last == [] { expected.removeLast() }
      for limit in [100, 4] {
        for size in 1...64 {
          var reader = LineReader(
            try FileDescriptor.openForReading(path), separator: separator, blockByteCount: size)
          var found: [[UInt8]] = []
          while let line = try reader.next(limit: limit) { found.append(line) }
          #expect(
            found == expected.map { Array($0.prefix(limit)) },
            "\(text.debugDescription) by \(size) bytes, at most \(limit)")
        }
      }
    }
  }

  @Test("a stream is copied whole, however much is read at a time")
  func stream() throws {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for size in Array(1...64) + [999, 1000, 1001] {
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
      try pipe.fileHandleForWriting.close()
      let file = try InputFile.open(
        "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)", blockByteCount: size)
      #expect(try file.size() == bytes.count)
      #expect(try file.read(at: 0, count: 2000) == bytes, "by \(size) bytes")
    }
  }

  @Test("the pieces of a file are its bytes, up to the end or a count")
  func pieces() throws {
    let bytes = (0..<200).map { UInt8($0) }
    let file = try FileDescriptor.openForReading(try folder.write(bytes, to: "x"))
    for size in 1...201 {
      for count in [nil, 0, 1, 64, 199, 200] {
        var pieces = FilePieces(file, count: count, pieceByteCount: size)
        var found: [UInt8] = []
        while let piece = try pieces.next() {
          #expect(piece.count == size || found.count + piece.count == count ?? 200)
          found += piece
          #expect(pieces.offset == found.count)
        }
        #expect(found == Array(bytes.prefix(count ?? 200)), "\(size) of \(count ?? -1)")
      }
      var pieces = FilePieces(file, count: 201, pieceByteCount: size)
      #expect(throws: RealmFileError(.shrankWhileReading)) {
        while try pieces.next() != nil {}
      }
    }
  }

  @Test("a copy of a live file is the same, however much is copied at a time")
  func liveCopy() throws {
    let bytes = (0..<500).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    let file = try FileDescriptor.openForReading(try folder.write(bytes, to: "x"))
    for size in Array(1...64) + [499, 500, 501] {
      let copy = try UnlinkedFile.make()
      try LiveCopy.copyPlain(file, 500, to: copy, pieceByteCount: size)
      #expect(try copy.read(at: 0, count: 501) == bytes, "by \(size) bytes")
      #expect(throws: RealmFileError(.shrankWhileReading)) {
        try LiveCopy.copyPlain(file, 501, to: copy, pieceByteCount: size)
      }
    }
  }

  @Test("decrypted bytes are the same across each edge of a page and a block")
  func encryptedPages() throws {
    var random = SplitMix64(seed: 53)
    // Two blocks and a page of the third one.
    let data = random.bytes(129 * 4096)
    let key = (0..<64).map { UInt8($0) }
    let path = try folder.write(PageEncryptor(key: key).file(data), to: "x")
    let file = try FileDescriptor.openForReading(path)
    let mapping = try MappedFile(descriptor: file.number, count: file.size())
    let source = ByteSource(
      pages: try PageView(of: pageCache(mapping, try RealmKey(bytes: key), byteCount: 64 * 4096)))
    for page in [1, 2, 63, 64, 65, 127, 128] {
      for start in (page * 4096 - 64)...(page * 4096) {
        for count in [1, 2, 8, 63, 64, 65, 4096] where start + count <= data.count {
          #expect(
            try source.copy(at: start, count: count) == Array(data[start..<(start + count)]),
            "\(count) bytes at \(start)")
        }
      }
    }
  }

  // MARK: Memory that spills

  @Test("entries of a log are read whole, however small the window is")
  func log() throws {
    for window in 1...64 {
      let log = ByteLog(budget: MemoryBudget(limit: 1), windowByteCount: window)
      var entries: [(position: Int, bytes: [UInt8])] = []
      // More than the least that is written to a file, in entries of odd sizes.
      for i in 0..<1500 {
        let bytes = (0..<(i % 97)).map { UInt8(truncatingIfNeeded: $0 &* i) }
        let store = ByteStore()
        store.append(bytes)
        entries.append((log.byteCount, bytes))
        try log.append(store)
      }
      for entry in entries + entries.reversed() {
        let found = try log.slice(at: entry.position, count: entry.bytes.count).bytes
        guard found == entry.bytes else {
          Issue.record("\(entry.bytes.count) bytes at \(entry.position), window \(window)")
          return
        }
      }
    }
  }

  @Test("a spill file has the same bytes, however many are encrypted at once")
  func spill() throws {
    let bytes = (0..<300).map { UInt8($0 % 251) }
    for size in Array(1...64) + [299, 300, 301] {
      let file = try SpillFile(isEncrypted: true, bufferByteCount: size)
      for part in [0..<1, 1..<18, 18..<300] {
        unsafe try bytes[part].withUnsafeBytes { unsafe try file.append($0) }
      }
      let store = ByteStore()
      for start in 0..<64 {
        try file.read(at: start, count: 300 - start, into: store)
        #expect(unsafe Array(store.bytes) == Array(bytes[start...]), "\(size), from \(start)")
      }
    }
  }

  // MARK: Writing

  private func written(key: RealmKey?, buffer: Int, data: [UInt8], piece: Int) throws -> [UInt8] {
    let path = folder.path("out")
    let file = try OutputFile(path: path, replacing: true)
    let output = try RealmOutput(.file(file), key: key, bufferByteCount: buffer)
    var start = 0
    while start < data.count {
      let count = min(piece, data.count - start)
      if start % 3 == 0, let room = unsafe output.room(for: count) {
        // As a node is written that is encoded in place.
        unsafe data[start..<(start + count)].withUnsafeBytes { bytes in
          if let base = bytes.baseAddress { unsafe room.copyMemory(from: base, byteCount: count) }
        }
        output.advance(by: count)
      } else {
        try output.append(Array(data[start..<(start + count)]))
      }
      start += count
      #expect(output.position == start)
    }
    #expect(try output.finish(header: Array(1...24)) >= data.count)
    try file.publish()
    return try readFile(path)
  }

  @Test("an output is the same, whatever the size of its buffer")
  func output() throws {
    var random = SplitMix64(seed: 54)
    let data = random.bytes(400)
    let expected = Array(1...24) + data[24...]
    for buffer in Array(1...64) + [399, 400, 401] {
      for piece in [1, 7, 8, 64, 400] {
        #expect(
          try written(key: nil, buffer: buffer, data: data, piece: piece) == expected,
          "buffer of \(buffer), pieces of \(piece) bytes")
      }
    }
  }

  @Test("an encrypted output is the same, whatever the size of its buffer")
  func encryptedOutput() throws {
    let key = try RealmKey(bytes: Array(0...63))
    let block = EncryptedPages.blockDataByteCount
    var random = SplitMix64(seed: 55)
    for count in [4096, block - 4096, block, block + 4096, 2 * block, 2 * block + 4096] {
      let data = random.bytes(count)
      let whole = try written(
        key: key, buffer: RealmOutput.usualBufferByteCount, data: data, piece: count)
      for piece in [4095, 4097, 65_537] {
        for buffer in [block, 2 * block] {
          #expect(
            try written(key: key, buffer: buffer, data: data, piece: piece) == whole,
            "\(count) bytes, buffer of \(buffer), pieces of \(piece) bytes")
        }
      }
      #expect(
        try decrypted(folder.path("out"), key: key) == Array(1...24) + data[24...])
    }
  }
}
