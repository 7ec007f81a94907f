import { type MethodDescriptor, RpcError } from '@concordat/rpc'
import {
  canonicalText,
  type ExamplePairing,
  isObject,
  type JsonValue,
  type Method,
  member,
} from '../contract/index.js'
import { type ParamValues, paramsKey, paramValues, type SentParams } from './params-key.js'

/** Answers from the examples of a method, by parameter key. */
export interface ExampleTable {
  /** Answers to valid calls. The first example with the same parameters wins. */
  readonly answers: ReadonlyMap<string, ShownAnswer>
  /** Errors for invalid calls that have an example. */
  readonly refusals: ReadonlyMap<string, RpcError>
  /** Notes in full sentences on examples that do not fit the contract or are ignored. */
  readonly notes: readonly string[]
}

/** Answer of an example. */
export type ShownAnswer = { readonly sent: SentParams; readonly params: ParamValues } & (
  | { readonly result: JsonValue; readonly error?: undefined }
  | { readonly error: RpcError; readonly result?: undefined }
)

/** Reads the examples of a method and checks them with its validators. */
export function readExamples(method: Method, descriptor: MethodDescriptor): ExampleTable {
  const answers = new Map<string, ShownAnswer>()
  const refusals = new Map<string, RpcError>()
  const notes: string[] = []
  const taken = new Map<string, { readonly name: string; readonly answer: ShownAnswer }>()
  for (const example of method.examples) {
    const note = take(example)
    if (note !== undefined) notes.push(`${method.name}, example "${example.name}": ${note}`)
  }
  return { answers, refusals, notes }

  /** Adds an example to the tables. Returns a description of the problem, if there is one. */
  function take(example: ExamplePairing): string | undefined {
    const sent = sentParams(method, example)
    const answer = answerOf(example, method, { sent, params: paramValues(descriptor, sent) })
    if (!answer) return descriptor.notification ? undefined : 'it has no valid answer'
    const key = paramsKey(descriptor, sent)
    const isRefused = descriptor.validateParams(sent).length > 0
    if (isRefused && !answer.error) return 'its parameters violate their schemas, so the call is refused'
    const earlier = taken.get(key)
    if (earlier !== undefined) {
      const isSame = answerText(earlier.answer) === answerText(answer)
      return isSame ? undefined : `it has the same parameters as "${earlier.name}", which is used`
    }
    taken.set(key, { name: example.name, answer })
    if (isRefused && answer.error) refusals.set(key, answer.error)
    else answers.set(key, answer)
    if (answer.error || descriptor.validateResult(answer.result).length === 0) return undefined
    return 'its result violates the schema, but is returned anyway'
  }
}

function answerText({ result, error }: ShownAnswer): string {
  return error ? canonicalText([error.code, error.message, error.data ?? null]) : canonicalText({ result })
}

/** Returns the answer that an example describes. A declared error also gets its HTTP status and `Retry-After`. */
function answerOf(
  { error, result }: ExamplePairing,
  { errors }: Method,
  call: Pick<ShownAnswer, 'sent' | 'params'>,
): ShownAnswer | undefined {
  if (error === undefined) return result && { ...call, result: result.value }
  if (!isObject(error)) return undefined
  const code = member(error, 'code')
  const message = member(error, 'message')
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string') return undefined
  const ofCode = errors.filter((declared) => declared.code === code)
  const { httpStatus, retryAfterSeconds } =
    ofCode.find((declared) => declared.message === message) ?? ofCode[0] ?? {}
  const data = member(error, 'data')
  return { ...call, error: new RpcError({ code, message, data, httpStatus, retryAfterSeconds }) }
}

/**
 * Converts the parameters of an example to the form that a client sends. For positional parameters, the names
 * in an example have no meaning. If both forms are allowed, the names count if they are all parameter names.
 */
function sentParams({ params, paramStructure }: Method, example: ExamplePairing): SentParams {
  const isParam = ({ name }: { readonly name: string }) => params.some((param) => param.name === name)
  const isNamed =
    paramStructure === 'by-name' || (paramStructure === 'either' && example.params.every(isParam))
  return isNamed
    ? Object.fromEntries(example.params.map(({ name, value }) => [name, value]))
    : example.params.map(({ value }) => value)
}
