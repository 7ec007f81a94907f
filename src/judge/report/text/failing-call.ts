import { isArray, isObject, type JsonObject, member, parseJson } from '../../../toolkit/contract/index.js'
import type { CaseResult } from '../report.js'
import { cut } from './describe.js'

/** Maximum characters of a call. */
const LONGEST = 2000

/** The call whose answer has the first finding. */
export interface FailingCall {
  readonly method: string
  /** Such as `book([7])`, with its position if it was in a batch. */
  readonly text: string
}

/** Reads the failing call from the last request of a case. Undefined if the request was no call. */
export function failingCall({ evidence, findings }: CaseResult): FailingCall | undefined {
  const { request } = evidence.at(-1) ?? {}
  if (request === undefined || request.altered === 'cut') return undefined
  const sent = parseJson(request.body)
  const at = Number(/^\/items\/(\d+)/.exec(findings[0]?.where ?? '')?.[1] ?? 0)
  const call = isArray(sent) ? sent[at] : sent
  const method = isObject(call) ? member(call, 'method') : undefined
  if (!isObject(call) || typeof method !== 'string') return undefined
  const text = callText(method, member(call, 'params'))
  if (!isArray(sent)) return { method, text }
  return { method, text: `${text}, call ${at + 1} of a batch of ${sent.length}` }
}

/**
 * Describes the smallest call that fails: that of a generated case, which was reduced, or the call with the first
 * finding.
 */
export function smallestCall(result: CaseResult): string | undefined {
  const { generated } = result
  return generated?.shrunkIn === undefined ? failingCall(result)?.text : callsText(generated.case)
}

/** Formats the calls of a generated case, such as `book([7]), then lend([7])`. */
function callsText({ steps }: JsonObject): string {
  const calls = [steps ?? []].flat().filter(isObject)
  const words = calls.map(({ call, params, batch }) =>
    batch === undefined ? callText(String(call), params) : `a batch of ${[batch].flat().length}`,
  )
  return cut(words.join(', then '), LONGEST)
}

function callText(method: string, params: JsonObject[string] = []): string {
  return cut(`${method}(${JSON.stringify(params)})`, LONGEST)
}
