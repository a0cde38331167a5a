import ArgumentParser
import RealmStorage

/// A word on the command line where the name of a command is expected. The parser would call it an
/// unexpected argument.
struct UnknownCommand: Equatable {
  /// The words that the user wrote, such as `backup creat`.
  let name: String
  /// The command whose subcommand is expected, such as `realm-cli backup`.
  let parent: String
  /// The command that the user probably meant, with its path after `realm-cli`; nil if no name is
  /// similar.
  let nearest: String?

  /// The first unknown command in `arguments`; nil if the parser can continue.
  init?(in arguments: [String], of root: any ParsableCommand.Type) {
    var command: any ParsableCommand.Type = root
    var path: [String] = []
    for argument in arguments {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !argument.hasPrefix("-") else { return nil }
      // The arguments of `help` are names of commands.
      if argument == "help" { continue }
      if let next = subcommands.first(where: { UnknownCommand.name(of: $0) == argument }) {
        command = next
        path.append(argument)
        continue
      }
      name = (path + [argument]).joined(separator: " ")
      parent = ([UnknownCommand.name(of: root)] + path).joined(separator: " ")
      nearest =
        UnknownCommand.nearest(to: argument, in: subcommands, path)
        ?? UnknownCommand.nearest(to: argument, in: root.configuration.subcommands, [])
      return
    }
    return nil
  }

  /// The error for the user.
  var report: ErrorReport {
    ErrorReport(
      usage: "unknown command '\(name)'" + (nearest.map { ", did you mean '\($0)'?" } ?? ""),
      hint: "see `\(parent) --help`")
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }

  /// The command whose name is most similar to `word`, among `commands`, which are at `path`, and their
  /// subcommands.
  private static func nearest(
    to word: String, in commands: [any ParsableCommand.Type], _ path: [String]
  ) -> String? {
    var candidates: [(name: String, path: String)] = []
    func look(_ commands: [any ParsableCommand.Type], _ path: [String]) {
      for command in commands {
        let name = name(of: command)
        candidates.append((name, (path + [name]).joined(separator: " ")))
        look(command.configuration.subcommands, path + [name])
      }
    }
    look(commands, path)
    return NearestName.position(of: word, in: candidates.map(\.name)).map { candidates[$0].path }
  }
}
