import { limits } from '@concordat/node-access-contract/contract'
import { failure } from '@concordat/node-access-contract/errors'
import { type Body, bodyProblem, type EdgeRequest } from '@concordat/server'
import type { MemoryBudget, Resize } from './memory-budget.js'

/**
 * Checks the headers that describe a body.
 * @throws RpcError unsupportedMediaType, bodyTooLarge
 */
export function requireReadable(headers: EdgeRequest['headers']): void {
  const problem = bodyProblem(headers, limits)
  if (problem !== undefined) throw failure(problem)
}

/**
 * True for a body that is announced as small: `smallBodyBytes` at most. Small bodies need no reservation, because the
 * number of connections is limited. A body of unknown size is not small.
 */
export const isSmallBody = (headers: EdgeRequest['headers']): boolean =>
  Number(headers['content-length']) <= limits.smallBodyBytes

/**
 * Reserves memory for the body of a request from its headers on.
 * @returns the reservation, undefined for a small body
 * @throws RpcError tooManyLargeBodies when the user's share is used up, queueFull when that of all users is
 */
export function reserveBody(
  budget: MemoryBudget,
  userId: string,
  { headers, response }: Pick<EdgeRequest, 'headers' | 'response'>,
): Resize | undefined {
  const announced = headers['content-length']
  if (isSmallBody(headers) || response.destroyed) return undefined
  const bytes = Math.min(Number(announced ?? limits.bodyBytes), limits.bodyBytes)
  const reservation = budget.reserve(userId, response, bytes)
  if (reservation === undefined)
    throw failure(budget.isOverShare(userId, bytes) ? 'tooManyLargeBodies' : 'queueFull')
  return reservation
}

/**
 * Reads the body of a request, and reduces its reservation to the actual size.
 * @returns undefined when the caller disconnects first
 * @throws RpcError bodyTooLarge
 */
export function readBody(
  request: Pick<EdgeRequest, 'readBody'>,
  reservation: Resize | undefined,
): Body | undefined | Promise<Body | undefined> {
  const body = request.readBody()
  if (body instanceof Promise) return body.then((read) => resized(read, reservation))
  return resized(body, reservation)
}

function resized(body: Body | undefined, reservation: Resize | undefined): Body | undefined {
  if (body === undefined || reservation === undefined) return body
  const bytes = sizeOf(body)
  reservation(bytes > limits.smallBodyBytes ? bytes : 0)
  return body
}

/** The size of a body, in bytes. */
export const sizeOf = (body: Body): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
