import { QueryError } from '../store/index.js'
import { OperatorError } from '../util/index.js'

/** An error with an HTTP status and a message for users. */
export class DashboardError extends Error {
  override readonly name = 'DashboardError'
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message)
  }
}

/** Creates the error for pages that do not exist and for pages of other users, which must look the same. */
export function notFound(): DashboardError {
  return new DashboardError(404, 'This page does not exist, or you have no access to it.')
}

/**
 * Creates the error for an operator whose e-mail address is not verified.
 * @param resetsPasswords true if a reset link can verify the address
 */
export function unconfirmedOperator(resetsPasswords: boolean): DashboardError {
  const how = resetsPasswords
    ? 'Log out, choose "Forgot your password?" and open the link that you receive.'
    : 'Confirmation needs a mail server: set CONCORDAT_SMTP_URL and restart the service.'
  return new DashboardError(
    403,
    `Your e-mail address is on the list of operators, but it is not confirmed. ${how}`,
  )
}

const unavailable = 503
const internal = 500
/** SQLSTATE classes of an unavailable database, and that of a primary that has become a standby. */
const UNAVAILABLE = /^(08|53|57P|25006)/

/** Converts any error to one for users. Messages of internal errors reveal nothing. */
export function toDashboardError(error: unknown): DashboardError {
  if (error instanceof DashboardError) return error
  // The key has been deleted since the request began.
  if (error instanceof OperatorError && error.code === 'key_unknown') return notFound()
  if (isDatabaseAway(error))
    return new DashboardError(
      unavailable,
      'The database is not available. Keys keep working. Try again in a few seconds.',
      5,
    )
  const { statusCode, code } = (error ?? {}) as { statusCode?: unknown; code?: unknown }
  if (typeof code === 'string' && code.startsWith('FST_CSRF'))
    return new DashboardError(
      403,
      'This form has expired or was not sent from this site. Nothing was changed. Go back, reload the page and send the form again.',
    )
  if (statusCode === 413) return new DashboardError(413, 'The form is too large.')
  if (statusCode === 415) return new DashboardError(415, 'Unsupported content type.')
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < internal)
    return new DashboardError(statusCode, 'Invalid request.')
  return new DashboardError(internal, 'Something went wrong on our side. The error has been logged.')
}

function isDatabaseAway(error: unknown): boolean {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof QueryError) return inner.code === undefined || UNAVAILABLE.test(inner.code)
  }
  return false
}
