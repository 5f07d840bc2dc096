// What the library asks while it connects, once a name was looked up: whether this address may be connected to.

import Glibc

/// Holds the addresses of one connection against what was granted.
struct AddressCheck {
  let grants: Grants
  /// Of the address that was asked for last; nil if that is granted.
  private(set) var refusal: IOError?

  init(_ grants: Grants) { self.grants = grants }

  mutating func permits(_ address: UnsafePointer<sockaddr>, of url: NetURL) -> Bool {
    guard let address = IPAddress(address) else { return false }
    do throws(IOError) {
      try grants.check(address: address, port: url.port, host: url.host)
      refusal = nil
      return true
    } catch {
      refusal = error
      return false
    }
  }

  /// Why there is no connection, by what the library says; it says nothing where the address was refused.
  func problem(_ text: String, of url: NetURL) -> IOError {
    text.isEmpty ? refusal ?? IOError("not granted: net \(url.place)") : IOError(text)
  }
}
