import { createChecks } from '../../src/judge/index.js'
import type { Contract, JsonObject, JsonValue } from '../../src/toolkit/contract/index.js'
import { isArray, isObject, member } from '../../src/toolkit/contract/index.js'
import { Finding } from './direction.js'
import { createPassedOn } from './passed-on.js'

/** An HTTP answer. */
export interface HttpAnswer {
  readonly status: number
  readonly contentType: string
  /** The decoded body. */
  readonly text: string
}

/** Judges answers with the schemas and the errors of a contract. */
export interface AnswerJudge {
  /**
   * Judges the answer to a POST at the path of a key. A result must fit its schema, except for invalid members that a
   * node sent (`passed-on.ts`).
   * @param body the sent bytes, as Latin-1
   * @param sent everything that a hostile node sent for the call; empty for a node that follows the contract
   * @returns the kind of answer
   * @throws Finding for an answer outside of the contract
   */
  readonly keyed: (body: string, answer: HttpAnswer, sent?: readonly JsonValue[]) => string
  /** Judges an answer to any other request: a page, or an error of the contract. */
  readonly any: (answer: HttpAnswer) => string
  /** Judges a JSON-RPC message that is not an answer over HTTP. */
  readonly message: (answer: JsonValue, request: JsonValue | undefined) => string
}

/** The kind of a result with invalid members that the node sent. */
export const deviation = 'result with a deviation of the node'

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses sent JSON. Returns undefined if the bytes are not JSON in UTF-8. */
export function sentJson(bytes: string): JsonValue | undefined {
  try {
    return JSON.parse(strictUtf8.decode(Buffer.from(bytes, 'latin1'))) as JsonValue
  } catch {
    return undefined
  }
}

/** Creates the judge. It shares no code with the service: its checks compile the contract's schemas as written. */
export function createAnswerJudge(contract: Contract): AnswerJudge {
  const checks = createChecks(contract)
  const isPassedOn = createPassedOn(contract, (pointer, value) => checks.schema(pointer, value).length === 0)

  function callOf(
    request: JsonValue | undefined,
  ): { method: string; params: JsonValue | undefined } | undefined {
    const method = isObject(request) ? member(request, 'method') : undefined
    if (!isObject(request) || typeof method !== 'string' || !checks.methods.has(method)) return undefined
    return { method, params: member(request, 'params') }
  }

  /** @param status undefined for an answer in a batch, or without HTTP */
  function judgeOne(
    answer: JsonValue,
    request: JsonValue | undefined,
    status: number | undefined,
    sent: readonly JsonValue[],
  ): string {
    refuse('the envelope is invalid', checks.envelope(answer))
    const one = answer as JsonObject
    const call = callOf(request)
    const error = member(one, 'error')
    judgeId(one, request)
    if (error === undefined) {
      if (status !== undefined && status !== 200) throw new Finding(`a result with HTTP ${status}`)
      if (call === undefined) return 'result'
      const { method, params } = call
      if (!checks.takes(method, params)) throw new Finding(`a result of ${method} for invalid parameters`)
      const given = isArray(params) || isObject(params) ? params : []
      const value = member(one, 'result') ?? null
      const problems = checks.result(method, given, value)
      const isOfNode = problems.length > 0 && isPassedOn(method, isArray(given) ? given : [], value, sent)
      if (isOfNode) return deviation
      refuse(`the result of ${method} is invalid`, problems)
      return 'result'
    }
    refuse('the error is not declared', checks.error(call?.method, error))
    const code = Number(member(error as JsonObject, 'code'))
    const data = member(error as JsonObject, 'data')
    if (isObject(data) && member(data, 'reference') !== undefined)
      throw new Finding('an exception was answered')
    const statuses = checks.errorStatuses(code)
    if (status !== undefined && statuses?.has(status) === false)
      throw new Finding(`error ${code} with HTTP ${status}`)
    return status === undefined ? `error ${code}` : `error ${code} (${status})`
  }

  function judgeBody(
    { text, contentType, status }: HttpAnswer,
    request: JsonValue | undefined,
    sent: readonly JsonValue[],
  ): string {
    if (!/^application\/json(?:;|$)/.test(contentType))
      throw new Finding(`the content type is ${contentType}`)
    const answer = parsed(text)
    if (!isArray(answer)) {
      const isBatch = isArray(request)
      const kind = judgeOne(answer, isBatch ? undefined : request, status, sent)
      if (isBatch && kind === 'result') throw new Finding('a batch got one result')
      return kind
    }
    if (!isArray(request)) throw new Finding('a list answers a single request')
    if (status !== 200) throw new Finding(`a batch with HTTP ${status}`)
    if (answer.length !== request.length)
      throw new Finding(`${answer.length} answers to a batch of ${request.length}`)
    return [...new Set(answer.map((one, at) => judgeOne(one, request[at], undefined, sent)))].length > 1
      ? 'batch, mixed'
      : 'batch'
  }

  return {
    keyed: (body, answer, sent = []) => judgeBody(answer, sentJson(body), sent),
    any: (answer) => {
      if (answer.contentType.startsWith('application/json') && answer.text.includes('"jsonrpc"')) {
        // The request is unknown, so a list may answer a batch.
        const found = parsed(answer.text)
        for (const one of isArray(found) ? found : [found])
          judgeOne(one, undefined, isArray(found) ? undefined : answer.status, [])
        return `JSON-RPC (${answer.status})`
      }
      if (answer.status >= 500) throw new Finding(`HTTP ${answer.status}`)
      return `HTTP ${answer.status}`
    },
    message: (answer, request) => judgeOne(answer, request, undefined, []),
  }
}

function refuse(
  what: string,
  problems: readonly { readonly path: string; readonly message: string }[],
): void {
  const [problem] = problems
  if (problem !== undefined) throw new Finding(`${what}: ${problem.path} ${problem.message}`)
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw new Finding('the body is not JSON')
  }
}

/** Checks that an answer repeats the id of its request. Errors may have the id null. @throws Finding */
function judgeId(answer: JsonObject, request: JsonValue | undefined): void {
  const sent = isObject(request) ? member(request, 'id') : undefined
  const id = member(answer, 'id')
  const isUsable = typeof sent === 'string' || Number.isSafeInteger(sent)
  if (id === null && member(answer, 'error') !== undefined) return
  if (isUsable && id !== sent) throw new Finding(`id ${JSON.stringify(id)} answers ${JSON.stringify(sent)}`)
}
