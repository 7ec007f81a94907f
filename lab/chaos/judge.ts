import { fileURLToPath } from 'node:url'
import { createChecks } from '../../src/judge/index.js'
import {
  isArray,
  isObject,
  type JsonObject,
  loadContract,
  messagePattern,
  parseJson,
} from '../../src/toolkit/contract/index.js'
import type { JudgedCall } from './calls.js'

/** A request and its answer. */
export interface Exchange {
  readonly calls: readonly JudgedCall[]
  /** Id of the first call. The following calls have consecutive ids. */
  readonly id: number
  /** Times by `performance.now()`. */
  readonly sentAt: number
  readonly endedAt: number
  /** Undefined if the connection ended without an answer. */
  readonly answer: { readonly status: number; readonly type: string; readonly text: string } | undefined
}

/** Judgement of an answer. */
export interface Verdict {
  /** `answered`, `no answer`, or the status, code and message of the failure. */
  readonly outcome: string
  /** Number of results. */
  readonly results: number
  /** JSON-RPC requests that must have been charged, judging by the answer; 0 without an answer. */
  readonly billed: number
  /** Violations of the contract. */
  readonly outside: readonly string[]
  /** Results that no node could have returned. */
  readonly wrong: readonly string[]
}

/** Outcome of a request whose connection ended without an answer. */
export const noAnswer = 'no answer'
export const answered = 'answered'

/** Creates a function that judges answers by the contract's schemas, errors and statuses, and by the chain. */
export async function createJudge(): Promise<(exchange: Exchange) => Verdict> {
  const contract = await loadContract(fileURLToPath(new URL('../../openrpc.json', import.meta.url)))
  const checks = createChecks(contract)
  const failures = Object.values(contract.info['x-failures'] as JsonObject).filter(isObject)
  /** True for failures that are not charged: free ones of the contract, and those of a balancer. */
  const isFree = (status: number, message: unknown) => {
    const stated = failures.filter((failure) => failure['httpStatus'] === status)
    const named = stated.filter((failure) => messagePattern(String(failure['message'])).test(String(message)))
    return status !== 200 && !named.some(({ charge }) => charge !== 0)
  }

  return ({ calls, id, sentAt, endedAt, answer }) => {
    if (answer === undefined) return { outcome: noAnswer, results: 0, billed: 0, outside: [], wrong: [] }
    const { status, type, text } = answer
    const outside: string[] = []
    const wrong: string[] = []
    const body = parseJson(text)
    const items = isArray(body) ? body : [body ?? null]
    if (body === undefined || !type.startsWith('application/json'))
      outside.push(`HTTP ${status} ${type}: ${text.slice(0, 200)}`)
    const isWhole = isArray(body) === calls.length > 1
    if (isArray(body) && (calls.length === 1 || body.length !== calls.length))
      outside.push(`${body.length} answers to ${calls.length} calls`)
    let [results, billed, outcome] = [0, 0, answered]
    for (const [at, item] of items.entries()) {
      const call = isWhole ? calls[at] : undefined
      const method = call?.method
      const tell = (problem: string) => `${method}: ${problem} in HTTP ${status} ${text.slice(0, 300)}`
      outside.push(...checks.envelope(item).map(({ path, message }) => tell(`${path} ${message}`)))
      if (!isObject(item)) continue
      const { result, error } = item
      // The id is null if the request was refused before its body was read.
      if (item['id'] !== id + at && (item['id'] !== null || status === 200)) outside.push(tell('another id'))
      if (error === undefined && result !== undefined) {
        results += 1
        billed += 1
        if (status !== 200) outside.push(tell('a result'))
        if (call === undefined) continue
        const problems = checks.result(call.method, call.params, result)
        outside.push(...problems.map(({ path, message }) => tell(`${path} ${message}`)))
        if (call.code !== undefined || !call.isTrue(result, sentAt, endedAt))
          wrong.push(tell('a wrong result'))
        continue
      }
      const { code, message } = isObject(error) ? error : {}
      outside.push(...checks.error(method, error ?? null).map((one) => tell(`${one.path} ${one.message}`)))
      // An item of a batch has no status of its own.
      const isItem = isWhole && calls.length > 1
      const isAllowed = isItem || (checks.errorStatuses(Number(code))?.has(status) ?? true)
      if (!isAllowed) outside.push(tell(`the code ${code}`))
      const charge = isWhole ? 1 : calls.length
      if (!isFree(status, message) && code !== -32005) billed += charge
      if (call?.code !== undefined && call.code === code) continue
      outcome = `${status} ${code} ${message}`
    }
    return { outcome, results, billed, outside, wrong }
  }
}
