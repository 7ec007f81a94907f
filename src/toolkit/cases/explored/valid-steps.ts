import { arrayMember, type JsonObject, type JsonValue, type Method } from '../../contract/index.js'
import { literalTemplate } from '../literal-template.js'

/** Error codes (JSON-RPC 2.0, section 5.1) that a valid call of a declared method must not get. */
const refusals = [-32700, -32600, -32601] as const
const internalError = -32603

/** A case before it gets its id. */
export interface Content {
  readonly words: string
  readonly steps: readonly (readonly [Method, JsonObject])[]
  readonly followsHead?: boolean
}

/**
 * Repeats the last call twice, if it gives a result. The third result may be the second one or a new one, but
 * not the first one again after another one.
 */
export function again(content: Content | undefined): Content | undefined {
  const [method, step] = content?.steps.at(-1) ?? []
  if (content === undefined || method === undefined || step === undefined) return undefined
  if (method.extensions['x-effect'] === 'write') return undefined
  const { params } = step
  const isVolatile = arrayMember(method.extensions, 'x-volatile').length > 0
  const same = { '$one-of': [{ $is: `\${second}` }, { $not: { $is: `\${first}` } }] }
  const { capture: _, ...next } = step
  return {
    followsHead: true,
    words: 'gives no earlier result again after another one',
    steps: [
      ...content.steps.slice(0, -1),
      [method, { ...step, capture: { first: '$.result' } }],
      [method, { ...next, capture: { second: '$.result' } }],
      [method, isVolatile ? answered(method, params ?? null) : { ...next, expect: { result: same } }],
    ],
  }
}

/**
 * A step that accepts a result or an error that is no refusal of the call. Rules beyond the schemas
 * (`x-beyond-schemas`) allow a refusal of the parameters, and so does a value from a result that does not fit.
 */
export function answered(method: Method, params: JsonValue): JsonObject {
  const { name, errors } = method
  const isOwn = errors.some(({ code }) => code === internalError)
  const codes = [...refusals, ...(isOwn ? [] : [internalError])]
  const refused = { $has: { error: { $has: { code: { '$one-of': codes } } } } }
  return {
    call: literalTemplate(name),
    params,
    expect: { body: { $not: refused }, ...(rulesBeyond(method).length > 0 ? {} : { accepted: true }) },
  }
}

function rulesBeyond({ extensions }: Method): readonly string[] {
  return arrayMember(extensions, 'x-beyond-schemas').map(String)
}

/** Says what a method does with valid parameters. */
export function accepts(method: Method): string {
  const rules = rulesBeyond(method)
  return rules.length === 0 ? 'accepts' : `accepts, or refuses by its rules (${rules.join('; ')}),`
}
