import type { ContractProblem, Method } from '../../contract/index.js'
import { oneLine } from '../../text/index.js'
import type { Emitted, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { docComment, indent, literal, literalKey, quote } from '../text.js'
import { hasMutableTuples } from '../types/keywords/arrays.js'
import { exampleJudge, type ValidExample } from './judge-examples.js'

/**
 * Emits examples.ts: the contract's examples as constants, type-checked against the types of their methods.
 */
export function emitExamples(source: Source): Emitted | undefined {
  const judge = exampleJudge(source)
  const methods = source.contract.methods
    .filter(({ examples }) => examples.length > 0)
    .map((method) => ({ method, judged: method.examples.map((example) => judge(method, example)) }))
  if (methods.length === 0) return undefined
  const leftOut = methods.flatMap(({ judged }) => judged.flatMap((one) => ('example' in one ? [] : [one])))
  const isMutable = hasMutableTuples(source.contract)
  const content = `${codeHeader(source)}import type { JsonValue } from '@concordat/rpc'
import type { Params, Results } from './types.js'
${isMutable ? frozenType : ''}
/** An example request and its outcome. The parameters of an error example can be invalid. */
export type Example<Method extends keyof Params> =
  | {
      readonly name: string
      readonly params: Params[Method]
      readonly result?: ${isMutable ? 'Frozen<Results[Method]>' : 'Results[Method]'}
      readonly error?: never
    }
  | {
      readonly name: string
      readonly params: JsonValue
      readonly error: { readonly code: number; readonly message: string; readonly data?: JsonValue }
      readonly result?: never
    }

const shown = {
${methods.map(({ method, judged }) => indent(methodEntry(method, judged))).join('')}} as const

/** The contract's examples, keyed by method name. */
export const examples: typeof shown = shown satisfies {
  readonly [Method in keyof typeof shown]: readonly Example<Method>[]
}
`
  return {
    path: 'examples.ts',
    content,
    leftOut: leftOut.map(({ pointer, message }) => ({
      pointer,
      message: `the example is omitted: ${message}`,
    })),
  }
}

const frozenType = `
/** A result whose lists are read only. The compiler would not find the end of any JSON. */
type Frozen<Value> = JsonValue extends Value
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value
`

function methodEntry({ name }: Method, judged: readonly (ValidExample | ContractProblem)[]): string {
  return `${literalKey(name)}: [\n${judged.map((one) => indent(entry(one))).join('')}],\n`
}

function entry(judged: ValidExample | ContractProblem): string {
  if (!('example' in judged)) return `// Omitted: ${oneLine(`${judged.pointer} ${judged.message}`)}\n`
  const { example, params, error } = judged
  const members = [
    `name: ${quote(example.name)}`,
    `params: ${literal(params)}`,
    ...(example.result ? [`result: ${literal(example.result.value)}`] : []),
    ...(error ? [`error: ${literal(error)}`] : []),
  ]
  const doc = docComment([example.summary, example.description])
  return `${doc}{\n${members.map((text) => `${indent(text)},\n`).join('')}},\n`
}
