/** An address that the service was to listen on could not be taken; the cause is what the system said. */
export class ListenError extends Error {
  override readonly name = 'ListenError'

  /** @param of whose address it is: that of the service, or that of its metrics */
  constructor(
    readonly of: 'service' | 'metrics',
    override readonly cause: unknown,
  ) {
    super(`the ${of} cannot listen`)
  }

  /** Makes what is thrown in place of what a system said. */
  static readonly of = (of: ListenError['of']) => (cause: unknown) => {
    throw new ListenError(of, cause)
  }
}
