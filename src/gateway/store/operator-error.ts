/** What an {@link OperatorError} can be about; stable, so that programs may test it. */
export const operatorErrorCodes = [
  'data_folder_in_use',
  'data_folder_unusable',
  'database_too_new',
  'database_unusable',
  'dependency_missing',
  'invalid_input',
  'key_limit_reached',
  'key_unknown',
  'secret_mismatch',
  'secret_unusable',
  'service_unreachable',
] as const

/** One of {@link operatorErrorCodes}. */
export type OperatorErrorCode = (typeof operatorErrorCodes)[number]

/**
 * An error for the person who runs the service or uses its keys: one sentence that says what to do.
 * It never goes on the JSON-RPC wire; there, `RpcError` and the contract's table of failures are used.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly code: OperatorErrorCode

  constructor(code: OperatorErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** The system's code of an error, such as `ENOENT`, or undefined where it carries none. */
export function systemCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** What an error says, for use inside another message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
