/// The rules of the checks in this module.
public enum ModelRules {
  public static let rules: [IntegrityRule] =
    IndexCheck.rules + LinkCheck.rules + KeyCheck.rules + SchemaCheck.rules
}
