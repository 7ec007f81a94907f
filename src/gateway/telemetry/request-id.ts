import { randomBytes } from 'node:crypto'
import { extensions } from '../../../generated/contract.js'
import type { EdgeResponse } from '../../server/index.js'

/** The header by which an answer is found in the log, and what is taken of it from a caller or a proxy in front. */
const { header, pattern } = extensions['x-http'].requestId
const taken = new RegExp(pattern)
const lowerCaseHeader = header.toLowerCase()

/** Ids of different processes never meet. */
const ofThisProcess = randomBytes(5).toString('hex')
let last = 0

/**
 * The id of a request: the one that it came with, else a new one. When it is first asked for it becomes a header of the
 * answer, so that those who never need one never pay for it.
 */
export function requestIdOf(response: EdgeResponse): string {
  const known = response.getHeader(header)
  if (typeof known === 'string') return known
  const given = response.req.headers[lowerCaseHeader]
  const id = typeof given === 'string' && taken.test(given) ? given : newId()
  if (!response.headersSent) response.setHeader(header, id)
  return id
}

/** A header with a new id, for the answer to what never became a request. */
export const newRequestIdHeader = () => ({ header, id: newId() })

function newId(): string {
  last += 1
  return `${ofThisProcess}-${last.toString(36)}`
}
