import CYAML

/// Reads the events of a YAML stream with libyaml. Belongs to one thread.
@safe
final class YAMLEvents {
  enum Event {
    /// A value or a name. Tags and quotes are ignored: every scalar is text.
    case scalar(String)
    case listStart
    case mappingStart
    /// Of the innermost open list or mapping.
    case end
    case documentStart
    case documentEnd
    case streamEnd
  }

  /// Largest number of open lists and mappings: the time of libyaml for a token grows with it.
  private static let nestingLimit = 1000

  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  /// Read by libyaml until the end.
  private let input: UnsafeMutableBufferPointer<UInt8>
  private var openCount = 0

  /// - Parameter bytes: untrusted.
  /// - Throws: `syntax` if there is no memory.
  init(_ bytes: [UInt8]) throws(PlanError) {
    unsafe input = .allocate(capacity: bytes.count)
    _ = unsafe input.initialize(fromContentsOf: bytes)
    guard unsafe yaml_parser_initialize(parser) == 1 else {
      unsafe parser.initialize(to: yaml_parser_t())
      throw YAMLEvents.noMemory
    }
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(parser, input.baseAddress, input.count)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
    unsafe input.deallocate()
  }

  /// The next event, and where it begins: the line, and the column in Unicode scalars. Not to be called after the end of
  /// the stream.
  ///
  /// - Throws: `syntax` if this is not YAML, or has anchors or aliases.
  func next() throws(PlanError) -> (event: Event, place: PlanPlace) {
    while true {
      var found = unsafe yaml_event_t()
      guard unsafe yaml_parser_parse(parser, &found) == 1 else { throw failure() }
      defer { unsafe yaml_event_delete(&found) }
      let place = unsafe YAMLEvents.place(found.start_mark)
      guard let event = try unsafe YAMLEvents.event(found, at: place) else { continue }
      switch event {
      case .listStart, .mappingStart: openCount += 1
      case .end: openCount -= 1
      default: break
      }
      guard openCount <= YAMLEvents.nestingLimit else {
        throw YAMLEvents.notYAML("more than \(YAMLEvents.nestingLimit) levels", at: place)
      }
      return (event, place)
    }
  }

  /// The event of libyaml as one of ours; nil for the start of the stream.
  private static func event(
    _ event: yaml_event_t, at place: PlanPlace
  ) throws(PlanError) -> Event? {
    switch unsafe event.type {
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      try unsafe checkHasNoAnchor(scalar.anchor, at: place)
      return unsafe .scalar(
        String(
          decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self))
    case YAML_SEQUENCE_START_EVENT:
      try unsafe checkHasNoAnchor(event.data.sequence_start.anchor, at: place)
      return .listStart
    case YAML_MAPPING_START_EVENT:
      try unsafe checkHasNoAnchor(event.data.mapping_start.anchor, at: place)
      return .mappingStart
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .end
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_STREAM_END_EVENT: return .streamEnd
    // No anchor comes before it: that would be an error.
    case YAML_ALIAS_EVENT: throw notYAML("found undefined alias", at: place)
    default: return nil
    }
  }

  /// Refuses an anchor: with nested aliases, a small file can stand for an endless document.
  private static func checkHasNoAnchor(
    _ anchor: UnsafeMutablePointer<yaml_char_t>?, at place: PlanPlace
  ) throws(PlanError) {
    guard unsafe anchor == nil else {
      throw PlanError(
        .syntax, "found '&' before a word, but plans cannot have anchors or aliases", at: place,
        hint: "put text that begins with & in quotes")
    }
  }

  private static func place(_ mark: yaml_mark_t) -> PlanPlace {
    PlanPlace(line: mark.line + 1, column: mark.column + 1)
  }

  // MARK: Errors

  private static let noMemory = PlanError(.syntax, "libyaml has no memory", at: .nowhere)

  static func notYAML(_ problem: String, at place: PlanPlace) -> PlanError {
    PlanError(
      .syntax, "this is not YAML: \(problem)", at: place,
      hint: "put types with brackets, and expressions with quotes or a colon, in quotes")
  }

  /// The error of libyaml.
  private func failure() -> PlanError {
    let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "unknown"
    switch unsafe parser.pointee.error {
    case YAML_MEMORY_ERROR: return YAMLEvents.noMemory
    case YAML_READER_ERROR:
      return unsafe YAMLEvents.notYAML(problem, at: place(offset: parser.pointee.problem_offset))
    default:
      return unsafe YAMLEvents.notYAML(problem, at: YAMLEvents.place(parser.pointee.problem_mark))
    }
  }

  /// The place of the byte at `offset`.
  private func place(offset: Int) -> PlanPlace {
    let before = unsafe String(decoding: input.prefix(offset), as: UTF8.self)
    let lines = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let column = lines.last.map(\.unicodeScalars.count) ?? 0
    return PlanPlace(line: lines.count, column: column + 1)
  }
}
