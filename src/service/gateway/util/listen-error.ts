/** Thrown when the service cannot listen on an address. The cause is the system's error. */
export class ListenError extends Error {
  override readonly name = 'ListenError'

  /**
   * @param of the server that cannot listen: the service or its metrics
   * @param cause the system's error
   */
  constructor(
    readonly of: 'service' | 'metrics',
    override readonly cause: unknown,
  ) {
    super(`the ${of} cannot listen`)
  }

  /** Creates a handler that converts a system error. */
  static readonly of = (of: ListenError['of']) => (cause: unknown) => {
    throw new ListenError(of, cause)
  }
}
