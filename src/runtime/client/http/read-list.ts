import type { JsonValue } from '@concordat/rpc'
import type { Fault } from '../fault.js'
import type { HttpAnswer } from './post-request.js'
import { type Answered, openAnswer, type Reader, type SentId } from './read-answer.js'
import type { ReadResponse } from './read-response.js'

/**
 * Reads the answer to a batch (JSON-RPC 2.0, section 6).
 * @param reader the contract and endpoint
 * @param http the HTTP answer
 * @param ids the ids of the calls
 * @returns what each call was answered, or the fault of the whole request
 */
export function readList(
  reader: Reader,
  http: HttpAnswer,
  ids: readonly SentId[],
): readonly Answered[] | Fault {
  const { value, isDone, read, answered } = openAnswer(reader, http)
  const nothing = { value: undefined }
  if (isDone && ids.every((id) => id === undefined)) return ids.map(() => nothing)
  if (!Array.isArray(value)) {
    const response = read(value)
    const isRefused = 'error' in response
    return answered(isRefused ? response : { id: null, problem: 'not a list of responses' }) as Fault
  }
  const responseTo = responsesById(value.map(read))
  return ids.map((id) => (id === undefined ? nothing : answered(responseTo(id))))
}

/**
 * Returns a function that finds the response to a call. Errors without id belong to unanswered calls: they
 * are assigned in order, and the last one to all that remain.
 */
function responsesById(responses: readonly ReadResponse[]): (id: number) => ReadResponse {
  const byId = new Map<JsonValue, ReadResponse>()
  const withoutId: ReadResponse[] = []
  for (const read of responses) {
    if (read.id !== null) {
      byId.set(read.id, byId.has(read.id) ? { id: null, problem: 'two responses for this call' } : read)
    } else if ('error' in read) withoutId.push(read)
  }
  return (id) =>
    byId.get(id) ??
    (withoutId.length > 1 ? withoutId.shift() : withoutId[0]) ?? { id, problem: 'no response for this call' }
}
