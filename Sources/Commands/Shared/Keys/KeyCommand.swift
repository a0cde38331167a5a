import CSystem
import RealmStorage

/// A command that prints the key of a realm, such as a password manager.
enum KeyCommand {
  /// Maximum number of bytes read from the command: more than any form of a key has.
  private static let outputByteCount = 64 << 10

  /// Runs `command` with `/bin/sh -c` and reads the key from its standard output.
  ///
  /// The command inherits standard input and error of this process, so it can ask for a password.
  /// The path of the realm is in `REALM_CLI_PATH`.
  ///
  /// - Throws: `sourceFailed` if the command cannot be run or fails, `unusable` if it does not
  ///   print a key. All errors have the path of the realm.
  static func run(_ command: String, realm path: String) throws(KeyError) -> RealmKey {
    var output = [UInt8](repeating: 0, count: outputByteCount)
    var count = 0
    let status = unsafe output.withUnsafeMutableBytes { buffer in
      unsafe csystem_capture(
        command, "REALM_CLI_PATH=" + path, buffer.baseAddress, buffer.count, &count)
    }
    // All other copies of the key are wiped by their owners.
    defer { for i in output.indices { output[i] = 0 } }
    guard status >= 0 else {
      throw KeyError(.sourceFailed("the key command cannot be started"), path: path)
    }
    guard status == 0 else {
      throw KeyError(.sourceFailed("the key command ended with status \(status)"), path: path)
    }
    do throws(KeyError) {
      var text = Array(output[..<count])
      return try KeyText.parse(&text)
    } catch {
      throw error.adding(path: path)
    }
  }
}
