import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Keys")
struct KeyTextTests {
  let bytes = (0..<64).map { UInt8($0 * 4 + 3) }

  private func parsed(_ content: [UInt8]) throws -> [UInt8] {
    var content = content
    let key = try KeyText.parse(&content)
    #expect(content.allSatisfy { $0 == 0 })
    return (0..<64).map { unsafe key.cipherKey[$0] }
  }

  /// Why `content` is refused.
  private func refusal(_ content: [UInt8]) -> String? {
    do {
      _ = try parsed(content)
      return nil
    } catch let error as KeyError {
      if case .unusable(let why) = error.kind { return why }
      return nil
    } catch {
      return nil
    }
  }

  @Test("any 64 bytes are a key")
  func raw() throws {
    #expect(try parsed(bytes) == bytes)
    let spaces = [UInt8](repeating: 0x20, count: 64)
    #expect(try parsed(spaces) == spaces)
  }

  @Test("128 hexadecimal digits are a key, in both cases and on several lines")
  func hexadecimal() throws {
    let text = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(try parsed(Array(text.utf8)) == bytes)
    #expect(try parsed(Array((text.uppercased() + "\r\n").utf8)) == bytes)
    #expect(try parsed(Array((text.prefix(60) + "\n" + text.dropFirst(60) + "\n").utf8)) == bytes)
  }

  @Test("base64 is a key, in both alphabets, in lines and without padding")
  func base64() throws {
    let text = Data(bytes).base64EncodedString()
    #expect(text.count == 88)
    #expect(try parsed(Array(text.utf8)) == bytes)
    #expect(try parsed(Array((" " + text + "\n").utf8)) == bytes)
    #expect(try parsed(Array((text.prefix(76) + "\n" + text.dropFirst(76) + "\n").utf8)) == bytes)
    #expect(try parsed(Array(text.dropLast(2).utf8)) == bytes)
    let other = text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    #expect(other != Array(text))
    #expect(try parsed(Array(String(other).utf8)) == bytes)
  }

  @Test("other contents are refused with what was found, without quoting them")
  func refusals() {
    #expect(refusal([]) == "empty")
    #expect(refusal(Array(" \n".utf8)) == "only white space")
    #expect(
      refusal([UInt8](repeating: 0x61, count: 126)) == "126 hexadecimal digits instead of 128")
    #expect(refusal(Array("Zm9vYmFy".utf8)) == "base64 of 6 bytes instead of 64")
    #expect(refusal([UInt8](repeating: 0x61, count: 5000)) == "more than 4096 bytes")
    #expect(
      refusal([UInt8](repeating: 0xFF, count: 65))
        == "65 bytes that are neither a raw key nor hexadecimal nor base64")
  }

  @Test("a key file is read, with whether others can read it")
  func files() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "key")
    for (mode, isOpen) in [(0o600, false), (0o640, true), (0o604, true)] as [(mode_t, Bool)] {
      #expect(unsafe chmod(path, mode) == 0)
      #expect(try KeyFile.read(path).isReadableByOthers == isOpen)
    }
    let missing = #expect(throws: KeyError.self) { try KeyFile.read(folder.path("none")) }
    #expect(missing?.kind == .unreadable(SystemError(ENOENT, "open the key file")))
    #expect(missing?.path == folder.path("none"))
    let long = try folder.write([UInt8](repeating: 65, count: 1 << 20), to: "long")
    let error = #expect(throws: KeyError.self) { try KeyFile.read(long) }
    #expect(error?.kind == .unusable("more than 4096 bytes"))
  }
}
