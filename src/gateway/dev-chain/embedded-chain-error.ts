/** The development chain could not be started; the message is one line for the person who started the service. */
export class EmbeddedChainError extends Error {
  override readonly name = 'EmbeddedChainError'
}
