// A URL as libcurl reads it, so that what is granted is what is connected to.

import CNet
import Glibc

struct NetURL {
  var scheme: String
  var host: String
  var port: Int
  /// Path and query.
  var target: String
  var user: String
  var password: String

  /// Host and port, as a grant names them.
  var place: String { Need.joined(host, port) }

  /// On the loop's thread, where the library is.
  init(_ text: String, schemes: [String], _ library: NetLibrary) throws(IOError) {
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw IOError("not a URL: \(text)") }
    var parts = frp_net_url()
    if let problem = library.functions.parse_url(text, &parts) {
      throw IOError("\(String(cString: problem)): \(text)")
    }
    defer { library.functions.free_url(&parts) }
    scheme = withUnsafeBytes(of: parts.scheme) { Self.text($0) }
    host = withUnsafeBytes(of: parts.host) { Self.text($0) }
    port = Int(parts.port)
    target = parts.target.map { String(cString: $0) } ?? "/"
    user = parts.user.map { String(cString: $0) } ?? ""
    password = parts.password.map { String(cString: $0) } ?? ""
    if !schemes.contains(scheme) {
      throw IOError("not a URL that begins with \(schemes.map { $0 + "://" }.joined(separator: " or ")): \(text)")
    }
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
