// The acceptance programs, on the model alone: their expectations are the contract.

import FRPDifferential
import Testing

@Suite struct AcceptanceTests {
  @Test(arguments: Acceptance.names)
  func model(name: String) { #expect(Acceptance.model(name) == nil) }
}
