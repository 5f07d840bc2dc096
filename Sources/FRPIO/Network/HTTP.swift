// HTTP as calls and streams.

/// Requests to HTTP servers.
public enum HTTP {
  /// Sends a request; an answer of any status is a success. Redirects are followed to what is granted.
  @discardableResult
  public static func send(
    _ request: HTTPRequest, _ grants: Grants, _ completion: @escaping Completion<HTTPAnswer>
  ) -> any Operation {
    let call = Call(completion)
    IOLoop.shared.run {
      if !call.isPending { return }
      let transfer = Transfer(request, grants, .answer { call.end($0) })
      call.onCancel { transfer.cancel() }
      transfer.begin()
    }
    return call
  }
}
