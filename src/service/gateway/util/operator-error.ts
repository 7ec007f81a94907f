/** Codes of an {@link OperatorError}. They are stable, so programs may check them. */
export const operatorErrorCodes = [
  'backup_unusable',
  'data_folder_in_use',
  'data_folder_unusable',
  'database_moved',
  'database_not_empty',
  'database_too_new',
  'database_too_old',
  'database_unusable',
  'heap_too_small',
  'invalid_input',
  'key_changed',
  'key_limit_reached',
  'key_unknown',
  'secret_mismatch',
  'secret_unusable',
  'service_unreachable',
] as const

/** One of {@link operatorErrorCodes}. */
export type OperatorErrorCode = (typeof operatorErrorCodes)[number]

/**
 * An error for operators and key owners, whose message says what happened and what to do. It is never sent in JSON-RPC
 * answers; `RpcError` is for those.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly code: OperatorErrorCode
  /** Name of the field of a form that the message is about; undefined for the whole input. */
  readonly field: string | undefined

  constructor(
    code: OperatorErrorCode,
    message: string,
    options?: { readonly cause?: unknown; readonly field?: string | undefined },
  ) {
    super(message, options)
    this.code = code
    this.field = options?.field
  }
}

/** Returns the system's code of an error, such as `ENOENT`; undefined without one. */
export function systemCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Returns the message of any thrown value, for use within another message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
