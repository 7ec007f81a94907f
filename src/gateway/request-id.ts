import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** The header by which an answer is found in the log (the contract's `x-http`). */
export const REQUEST_ID_HEADER = 'X-Request-Id'

/** What is taken from a caller, or from a proxy in front: nothing that could be mistaken for more of a log. */
const taken = /^[\w.-]{1,64}$/

/** Ids of different processes never meet. */
const ofThisProcess = randomBytes(5).toString('hex')
let last = 0

/**
 * The id of a request: the one that it came with, else a new one. When it is first asked for it becomes a header of the
 * answer, so that those who never need one never pay for it.
 */
export function requestIdOf(response: ServerResponse): string {
  const known = response.getHeader(REQUEST_ID_HEADER)
  if (typeof known === 'string') return known
  const given = response.req.headers['x-request-id']
  const id = typeof given === 'string' && taken.test(given) ? given : newId()
  if (!response.headersSent) response.setHeader(REQUEST_ID_HEADER, id)
  return id
}

function newId(): string {
  last += 1
  return `${ofThisProcess}-${last.toString(36)}`
}
