// `Date` of an answer: the same text for a second. On the loop's thread only.

import Glibc

enum HTTPDate {
  private static let cache = LoopLocal((second: -1, text: ""))

  static var now: String {
    let second = time(nil)
    return cache.with { cache in
      if cache.second != second { cache = (second, text(second)) }
      return cache.text
    }
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`
  static func text(_ second: Int) -> String {
    var (second, parts) = (second, tm())
    gmtime_r(&second, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year)"
    return "\(day) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
