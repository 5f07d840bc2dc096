// The environment of this process: names that were granted.

import Glibc

/// Variables of a run, within its grants.
public struct Environment: Sendable {
  private let grants: Grants

  public init(_ grants: Grants) { self.grants = grants }

  /// What a variable is set to. Whether it is a secret is the caller's matter.
  public func value(_ name: String) throws(IOError) -> String {
    try grants.check(env: name)
    guard let value = getenv(name) else { throw IOError("not set in the environment: \(name)") }
    return String(cString: value)
  }
}
