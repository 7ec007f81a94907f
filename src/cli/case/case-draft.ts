import type { JsonObject, JsonValue } from '@concordat/rpc'
import type { Checks } from '../../judge/index.js'
import {
  type Contract,
  isArray,
  isObject,
  type Method,
  member,
  parseJson,
} from '../../toolkit/contract/index.js'
import { UsageError } from '../io.js'

/** The parts of a case with one call. */
export interface CaseDraft {
  readonly scenario: string
  readonly rule: string
  readonly method: string
  readonly params: JsonValue
  readonly expect: JsonObject
}

/** The contract with its checks. */
export interface DraftContract {
  readonly contract: Contract
  readonly checks: Checks
}

/** Returns the document of a case file. */
export function caseDocument(draft: CaseDraft, { checks }: DraftContract): JsonObject {
  const { scenario, rule, method, params, expect } = draft
  return {
    scenario,
    ...(rule !== '' && { rule }),
    ...(checks.effects.get(method) === 'write' && { effect: 'write' }),
    steps: [{ call: method, params, expect }],
  }
}

/** Reads an expectation: `error CODE`, or a result or matcher as JSON. */
export function expectationOf(text: string): JsonObject | undefined {
  const code = /^error\s+(-?\d+)$/.exec(text)?.[1]
  if (code !== undefined) return { error: { code: Number(code) } }
  const result = parseJson(text)
  return result === undefined ? undefined : { result }
}

/** Returns why parameters and an expectation contradict the contract; undefined if they fit. */
export function contradiction(
  { method: name, params, expect }: Pick<CaseDraft, 'method' | 'params' | 'expect'>,
  { contract, checks }: DraftContract,
): string | undefined {
  const method = contract.methods.find((one) => one.name === name)
  if (method === undefined) return undefined
  const error = member(expect, 'error')
  if (isObject(error)) {
    const code = member(error, 'code')
    const declared = [...method.errors, ...contract.errors].map((one) => one.code)
    if (declared.length === 0 || declared.includes(code as number)) return undefined
    return `the contract does not declare the error ${String(code)}; it has ${[...new Set(declared)].join(', ')}`
  }
  const result = member(expect, 'result') ?? null
  // Variables and matchers have no value before the run.
  if (/\$/.test(JSON.stringify([params, result]))) return undefined
  const [wrong] = paramProblems(method, params, checks)
  if (wrong !== undefined) return `${wrong}; a result is only possible for valid parameters: expect an error`
  const [problem] = checks.result(name, isArray(params) || isObject(params) ? params : [], result)
  return problem === undefined
    ? undefined
    : `the contract does not allow this result: ${problem.path} ${problem.message}`
}

function paramProblems(method: Method, params: JsonValue, checks: Checks): readonly string[] {
  const { name, params: declared } = method
  if (isArray(params) && params.length > declared.length) {
    return [`${name} takes at most ${declared.length} parameters`]
  }
  return declared.flatMap((param, at) => {
    const value = isArray(params) ? params[at] : isObject(params) ? member(params, param.name) : undefined
    if (value === undefined) return param.required ? [`the parameter ${param.name} is missing`] : []
    return checks
      .schema(param.schema.pointer, value)
      .map(({ path, message }) => `${param.name}${path} ${message}`)
  })
}

/**
 * Reads the call of a request body in a report.
 * @throws UsageError for other requests
 */
export function callIn(body: string, id: string): { readonly method: string; readonly params: JsonValue } {
  const call = parseJson(body)
  const method = isObject(call) ? member(call, 'method') : undefined
  if (!isObject(call) || typeof method !== 'string') {
    throw new UsageError(
      `the last request of ${id} is no single call, or is cut in the report; write its case by hand`,
    )
  }
  return { method, params: member(call, 'params') ?? [] }
}

/** Escapes `${`, which would begin a variable in a case. */
export function escapedText(text: string): string {
  return text.replaceAll('${', () => '$${')
}
