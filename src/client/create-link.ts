import type { WireParams } from './wire-params.js'

/** What a link of the contract says (OpenRPC 1.3, link object). Generated, never written by hand. */
export interface LinkContract {
  /** The parameters of the method that it leads to, in the contract's order. */
  readonly params: readonly LinkParam[]
  readonly paramStructure: 'by-name' | 'by-position' | 'either'
}

/** A parameter that a link fills, or leaves to the caller. */
export interface LinkParam {
  readonly name: string
  readonly required: boolean
  /** What fills it; absent where the caller does. */
  readonly value?: LinkValue
  /** True where null is a value of the parameter; otherwise null fills nothing. */
  readonly takesNull?: boolean
}

/** A value with runtime expressions (OpenRPC 1.3, runtime expression) in it, read when code was generated. */
export type LinkValue =
  | { readonly result: Path }
  | { readonly param: string; readonly position: number; readonly path: Path }
  | { readonly text: readonly (string | LinkValue)[] }
  | { readonly list: readonly LinkValue[] }
  | { readonly members: Readonly<Record<string, LinkValue>> }
  | { readonly constant: unknown }

/** Names of members and positions in lists, from the outermost. */
type Path = readonly (string | number)[]

/** A call that was answered: its parameters as they were sent, and its result. */
interface AnsweredCall {
  readonly params?: WireParams
  readonly result?: unknown
}

/**
 * A function from a call and its result to the parameters of another call, as the client's function for it takes them.
 * It answers undefined where the result lacks what a required parameter is filled with; an optional one is left out
 * then (OpenRPC 1.3, link object). It is generated code that gives the function its type.
 */
export function createLink<Link extends (from: never, more: never) => unknown>({
  params,
  paramStructure,
}: LinkContract): Link {
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

/** What a value comes to; undefined where something that it needs is not there. */
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

/** Text with scalars in it; what has an inside has no text. */
function joined(parts: readonly (string | LinkValue)[], from: AnsweredCall): string | undefined {
  const texts = parts.map((part) => (typeof part === 'string' ? part : resolved(part, from)))
  const isText = texts.every((text) => ['string', 'number', 'boolean'].includes(typeof text))
  return isText ? texts.join('') : undefined
}

/** The value at a path of own members; undefined where it ends early. */
function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((here, key) => own(here, key), value)
}

function own(object: unknown, key: string | number): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return undefined
  return (object as Readonly<Record<string | number, unknown>>)[key]
}
