/** The error of a development chain that did not start. Its message is one line for the operator. */
export class EmbeddedChainError extends Error {
  override readonly name = 'EmbeddedChainError'
}
