/** Limits of the server. A contract states its own in `x-limits` by the same names. */
export interface Limits {
  /** Maximum size of a body, in bytes. */
  readonly bodyBytes: number
  /** Maximum bytes to receive and discard of a refused body with an unknown size, or a size over `bodyBytes`. */
  readonly drainBytes: number
  /** Seconds for which such a body is received and discarded before the connection closes. */
  readonly drainSeconds: number
  /** Maximum size of request line and headers together, in bytes. */
  readonly headerBytes: number
  /** Maximum number of headers in a request. Repeated headers count separately. */
  readonly headerCount: number
  /** Maximum number of requests in a batch. */
  readonly batchItems: number
  /** Maximum nesting of arrays and objects in a body. */
  readonly nestingDepth: number
  /** Maximum number of values in a body. Member names count as values. */
  readonly bodyValues: number
  /** Open connections of one address, if connections are counted (`countedAs`). */
  readonly connectionsPerAddress: number
  /** New connections of one address in ten seconds, if connections are counted (`countedAs`). */
  readonly newConnectionsPerAddress: number
  /** Seconds within which the headers of a request must arrive. */
  readonly headerTimeoutSeconds: number
  /** Seconds within which the whole request must arrive. */
  readonly requestTimeoutSeconds: number
  /** Seconds after which a connection is closed if the caller reads nothing of a pending response. */
  readonly answerStallSeconds: number
  /** Seconds that a graceful shutdown waits for requests in flight. */
  readonly gracefulStopSeconds: number
  /** Seconds for which browsers can cache a preflight response. */
  readonly corsMaxAgeSeconds: number
  /** Size up to which a body is small, in bytes: it needs no memory budget and waits for no turn (`sharing`). */
  readonly smallBodyBytes: number
  /** Concurrent requests of one caller; further ones wait (`sharing`). A batch counts as one request. */
  readonly requestsAtOncePerUser: number
  /** Waiting requests of one caller (`sharing`). */
  readonly queuedRequestsPerUser: number
  /** Bytes of the bodies of one caller's waiting requests (`sharing`). */
  readonly queuedBytesPerUser: number
  /** Seconds after which a waiting request is refused (`sharing`). */
  readonly queueSeconds: number
  /** Size from which an answer is compressed, in bytes (`sharing`). */
  readonly compressedAnswerBytes: number
}

/** Maximum value of a limit: the maximum delay of a timer in milliseconds. */
export const maxLimit = 2 ** 31 - 1

/** Maximum delay of `setTimeout` in whole seconds, about 24 days. */
const longestTimerSeconds = Math.floor(maxLimit / 1_000)

/** Limits for contracts without `x-limits`. */
export const defaultLimits: Limits = {
  bodyBytes: 5_242_880,
  drainBytes: 16_777_216,
  drainSeconds: 1,
  headerBytes: 16_384,
  headerCount: 1_000,
  batchItems: 100,
  nestingDepth: 64,
  bodyValues: 50_000,
  connectionsPerAddress: 1_300,
  newConnectionsPerAddress: 2_000,
  headerTimeoutSeconds: 10,
  requestTimeoutSeconds: 30,
  answerStallSeconds: 30,
  gracefulStopSeconds: 10,
  corsMaxAgeSeconds: 7_200,
  smallBodyBytes: 16_384,
  requestsAtOncePerUser: 64,
  queuedRequestsPerUser: 1_000,
  queuedBytesPerUser: 16_777_216,
  queueSeconds: 20,
  compressedAnswerBytes: 65_536,
}

/** Limits of options. */
type Given = { readonly [Name in keyof Limits]?: Limits[Name] | undefined }

/**
 * Returns the limits of a server. Those of the options override those of the contract, which override the defaults.
 * @param stated limits of the contract
 * @param given limits of the options; undefined values are ignored
 * @throws RangeError if a limit of the options is not a number from 0 to {@link maxLimit}
 */
export function serverLimits(stated: Partial<Limits>, given: Given = {}): Limits {
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of known) {
    if (!(typeof value === 'number' && value >= 0 && value <= maxLimit))
      throw new RangeError(
        `The limit "${name}" must be a number from 0 to ${maxLimit}, but is ${String(value)}`,
      )
  }
  return withinTimers({ ...defaultLimits, ...stated, ...Object.fromEntries(known) })
}

/** Clamps timeouts to the maximum delay of a timer, because a timer with a longer delay fires immediately. */
function withinTimers(limits: Limits): Limits {
  // The maximum age of CORS answers is not a timer of the server.
  const isTimer = (name: string) => name.endsWith('Seconds') && name !== 'corsMaxAgeSeconds'
  const entries = Object.entries(limits).map(([name, value]) => [
    name,
    isTimer(name) ? Math.min(value, longestTimerSeconds) : value,
  ])
  return Object.fromEntries(entries)
}

/**
 * Returns the value of a numeric option.
 * @param name name of the option, for the message
 * @throws RangeError if the value is not a positive integer
 */
export function positiveInteger(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value
  throw new RangeError(`${name} must be a positive integer, but is ${value}`)
}
