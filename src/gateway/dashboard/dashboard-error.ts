import { QueryError } from '../store/connection.js'

/** A page that cannot be shown, for a reason that people are told. */
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

/** There is no such page, or none for this person: the two are not told apart. */
export function notFound(): DashboardError {
  return new DashboardError(404, 'There is no such page, or it is not yours.')
}

/**
 * An address of the operators' list whose owner has not been proven.
 * @param resetsPasswords true where a link can prove it
 */
export function unconfirmedOperator(resetsPasswords: boolean): DashboardError {
  const how = resetsPasswords
    ? 'Log out, choose "Forgot the password?" and open the link that you receive.'
    : 'This takes a mail server: set CONCORDAT_SMTP_URL and restart the service.'
  return new DashboardError(
    403,
    `Your e-mail address is on the list of operators, but it is not confirmed. ${how}`,
  )
}

const unavailable = 503
const internal = 500
/** SQLSTATE classes of a database that does not work at the moment. */
const BROKEN = /^(08|53|57P)/

/** What people are told of any error: its status, and words that give nothing away. */
export function toldOf(error: unknown): DashboardError {
  if (error instanceof DashboardError) return error
  if (isDatabaseAway(error))
    return new DashboardError(
      unavailable,
      'The database does not answer at the moment. Keys go on working; try this page again in a few seconds.',
      5,
    )
  const { statusCode, code } = (error ?? {}) as { statusCode?: unknown; code?: unknown }
  if (typeof code === 'string' && code.startsWith('FST_CSRF'))
    return new DashboardError(
      403,
      'This form is out of date, or did not come from this site. Nothing was changed. Go back, reload the page and send it again.',
    )
  if (statusCode === 413) return new DashboardError(413, 'The form holds more than is taken.')
  if (statusCode === 415) return new DashboardError(415, 'This is no form of this site.')
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < internal)
    return new DashboardError(statusCode, 'The request cannot be understood.')
  return new DashboardError(internal, 'Something went wrong on our side. It has been written down.')
}

function isDatabaseAway(error: unknown): boolean {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof QueryError) return inner.code === undefined || BROKEN.test(inner.code)
  }
  return false
}
