import type { JsonValue } from '@concordat/rpc'
import type { Codec } from './client-options.js'
import { invalidResult } from './transport-error.js'
import type { WireParams } from './wire-params.js'

/** The type of a decoded quantity (`x-decode` of a schema). */
type Quantity = 'bigint' | 'number' | 'either' | 'also'

/**
 * Where a value contains quantities. A list of plans is applied in order; an empty list changes nothing. Values
 * that do not match a plan, such as null and block tags, are not changed.
 */
export type DecodePlan =
  | Quantity
  | { readonly ref: string }
  | { readonly members?: Readonly<Record<string, DecodePlan>>; readonly others?: DecodePlan }
  | { readonly tuple?: readonly DecodePlan[]; readonly items?: DecodePlan }
  | readonly DecodePlan[]

/** The quantities of a contract. Generated, never written by hand. */
export interface QuantityTable {
  /** Methods with quantities: the position and plan of parameters by name, and the plan of the result. */
  readonly methods: Readonly<Record<string, MethodPlan>>
  /** Plans of named schemas. */
  readonly schemas: Readonly<Record<string, DecodePlan>>
}

interface MethodPlan {
  readonly params?: Readonly<Record<string, readonly [position: number, plan: DecodePlan]>>
  readonly result?: DecodePlan
}

/** Converts a quantity. Returns other values unchanged. */
type Convert = (value: unknown, kind: Quantity, path: string) => unknown

/**
 * Creates a codec that converts quantities to `bigint` or `number`, and back. The generated code adds the type of
 * the client.
 * @param table the quantities of the contract
 * @returns a codec. It throws RangeError for a parameter that is negative, a fraction, an unsafe number or longer
 *   than 256 bits, and an invalid `TransportError` for a result that exceeds the safe integers.
 */
export function createCodec<Client>({ methods, schemas }: QuantityTable): Codec<Client> {
  const planOf = (method: string): MethodPlan => (Object.hasOwn(methods, method) ? methods[method] : {}) ?? {}

  const walk = (value: unknown, plan: DecodePlan, convert: Convert, path: string): unknown => {
    if (typeof plan === 'string') return convert(value, plan, path)
    if (isList(plan)) return plan.reduce((last: unknown, next) => walk(last, next, convert, path), value)
    if ('ref' in plan) return walk(value, schemas[plan.ref] ?? [], convert, path)
    if (typeof value !== 'object' || value === null) return value
    const inner = (key: string | number, item: unknown, part: DecodePlan | undefined) =>
      part === undefined ? item : walk(item, part, convert, `${path}/${key}`)
    if (isList(value)) {
      if (!('items' in plan || 'tuple' in plan)) return value
      return value.map((item, at) => inner(at, item, plan.tuple?.[at] ?? plan.items))
    }
    if (!('members' in plan || 'others' in plan)) return value
    const { members = {}, others } = plan
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      inner(key, item, Object.hasOwn(members, key) ? members[key] : others),
    ])
    return Object.fromEntries(entries)
  }

  return {
    params: (method, params) => {
      const known = Object.entries(planOf(method).params ?? {})
      if (known.length === 0) return params
      const sent: Record<string, unknown> = isList(params) ? ([...params] as never) : { ...params }
      for (const [name, [position, plan]] of known) {
        const key = isList(params) ? String(position) : name
        if (Object.hasOwn(sent, key)) sent[key] = walk(sent[key], plan, encoding(method, name), '')
      }
      return sent as WireParams
    },
    result: (method, result) => {
      const plan = planOf(method).result
      return plan === undefined ? result : walk(result, plan, decoding(method), '')
    },
  }
}

/** Longest quantity. */
const bits = 256n

function encoding(method: string, name: string): Convert {
  return (value, _kind, path) => {
    if (typeof value !== 'bigint' && typeof value !== 'number') return value
    const problem = problemOf(value)
    if (problem === undefined) return `0x${value.toString(16)}`
    const place = path === '' ? '' : ` at ${path}`
    throw new RangeError(
      `${method}: the parameter ${JSON.stringify(name)}${place} ${problem}. Use a whole number from 0, of at most ${bits} bits.`,
    )
  }
}

function problemOf(value: bigint | number): string | undefined {
  if (value < 0) return 'is negative'
  if (typeof value === 'bigint') return value >> bits === 0n ? undefined : `is longer than ${bits} bits`
  if (Number.isSafeInteger(value)) return undefined
  return Number.isInteger(value) ? 'exceeds the safe integers; pass it as a bigint' : 'is not a whole number'
}

function decoding(method: string): Convert {
  return (value, kind, path) => {
    if (typeof value !== 'string' || !/^0x[0-9a-f]+$/i.test(value)) return value
    const quantity = BigInt(value)
    if (kind !== 'number') return quantity
    if (quantity <= Number.MAX_SAFE_INTEGER) return Number(quantity)
    const message = 'exceeds the safe integers. Read it without decoding.'
    throw invalidResult(method, { path, rule: 'x-decode', message })
  }
}

function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}
