import type { WireParams } from './wire-params.js'

/** A link of the contract (OpenRPC 1.3, link object). Generated, never written by hand. */
export interface LinkContract {
  /** The parameters of the target method, in the contract's order. */
  readonly params: readonly LinkParam[]
  readonly paramStructure: 'by-name' | 'by-position' | 'either'
}

/** A parameter that a link provides, or leaves to the caller. */
export interface LinkParam {
  readonly name: string
  readonly required: boolean
  /** The source of the value. Absent if the caller provides it. */
  readonly value?: LinkValue
  /** True if null is a valid value of the parameter. Otherwise null counts as missing. */
  readonly takesNull?: boolean
}

/** A value with parsed runtime expressions (OpenRPC 1.3, runtime expression). */
export type LinkValue =
  | { readonly result: Path }
  | { readonly param: string; readonly position: number; readonly path: Path }
  | { readonly text: readonly (string | LinkValue)[] }
  | { readonly list: readonly LinkValue[] }
  | { readonly members: Readonly<Record<string, LinkValue>> }
  | { readonly constant: unknown }

/** Member names and list positions, from the outermost. */
type Path = readonly (string | number)[]

/** A completed call: the parameters that were sent, and the result. */
interface AnsweredCall {
  readonly params?: WireParams
  readonly result?: unknown
}

/**
 * Creates the function of a link, which converts a call and its result to the parameters of the target
 * method. It returns undefined if a required parameter has no value in the result; optional ones are omitted
 * (OpenRPC 1.3, link object). The generated code adds the function's type.
 * @param contract the link's parameters
 */
export function createLink<Link extends (from: never, more: never) => unknown>(contract: LinkContract): Link {
  const { params, paramStructure } = contract
  const link = (from: AnsweredCall, more: Readonly<Record<string, unknown>> = {}) => {
    const values = params.map(({ name, value, takesNull }) => {
      if (!value) return own(more, name)
      const found = resolved(value, from)
      return found === null && !takesNull ? undefined : found
    })
    if (params.some(({ required }, at) => required && values[at] === undefined)) return undefined
    if (paramStructure !== 'by-name') {
      return values.slice(0, values.findLastIndex((value) => value !== undefined) + 1)
    }
    const entries = params.map(({ name }, at) => [name, values[at]] as const)
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }
  return link as unknown as Link
}

/** Evaluates a value, or returns undefined if a required part is missing. */
function resolved(value: LinkValue, from: AnsweredCall): unknown {
  if ('constant' in value) return value.constant
  if ('result' in value) return at(from.result, value.result)
  if ('param' in value) return at(givenParam(from.params, value), value.path)
  if ('text' in value) return joined(value.text, from)
  const inner = 'list' in value ? value.list.map((item) => resolved(item, from)) : undefined
  if (inner) return inner.includes(undefined) ? undefined : inner
  const members = 'members' in value ? Object.entries(value.members) : []
  const entries = members.map(([name, item]) => [name, resolved(item, from)] as const)
  return entries.some(([, item]) => item === undefined) ? undefined : Object.fromEntries(entries)
}

function givenParam(
  params: WireParams | undefined,
  { param, position }: { readonly param: string; readonly position: number },
): unknown {
  if (params === undefined) return undefined
  return Array.isArray(params) ? own(params, position) : own(params, param)
}

/** Inserts scalars into a text. Objects and lists have no text form. */
function joined(parts: readonly (string | LinkValue)[], from: AnsweredCall): string | undefined {
  const texts = parts.map((part) => (typeof part === 'string' ? part : resolved(part, from)))
  const isText = texts.every((text) => ['string', 'number', 'boolean'].includes(typeof text))
  return isText ? texts.join('') : undefined
}

/** Returns the value at a path of own members, or undefined if it does not exist. */
function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((here, key) => own(here, key), value)
}

function own(object: unknown, key: string | number): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return undefined
  return (object as Readonly<Record<string | number, unknown>>)[key]
}
