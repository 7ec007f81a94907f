import type { Method } from '../contract.js'
import { arrayMember, isObject, type JsonObject, type JsonValue, member } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { canonicalText } from './canonical.js'
import type { Change, ChangeKind } from './change.js'
import { byName, change, changedMembers, type DiffContext, schemaAt, sidesAt } from './diff-context.js'
import type { Party } from './effect.js'
import { shown } from './words.js'

/** An extension with an order: whom a rise of its value breaks, and whom a fall. */
interface Ordered {
  readonly kind: ChangeKind
  readonly order: readonly JsonValue[] | 'numbers'
  readonly rise: readonly [parties: readonly Party[], reason: string]
  readonly fall: readonly [parties: readonly Party[], reason: string]
}

const ordered: Readonly<Record<string, Ordered>> = {
  'x-effect': {
    kind: 'effect-changed',
    order: ['read', 'write'],
    rise: [['clients'], 'writes, and only read: a call is no longer safe to repeat'],
    fall: [['servers'], 'only reads, and wrote'],
  },
  'x-cost': {
    kind: 'cost-changed',
    order: 'numbers',
    rise: [['clients'], 'a call costs more'],
    fall: [['servers'], 'a call costs less'],
  },
  'x-batchable': {
    kind: 'batching-changed',
    // How a service talks to its nodes concerns neither its clients nor other implementations.
    order: [true, false],
    rise: [[], 'no longer travels to a node in a batch'],
    fall: [[], 'may travel to a node in a batch'],
  },
}

/** Compared with the rules of the whole contract. */
const elsewhere: ReadonlySet<string> = new Set(['x-rules'])

/** The extensions of a method object: those that are known by what they promise, any other as something to read. */
export function diffMethodExtensions(context: DiffContext, old: Method, next: Method): readonly Change[] {
  return changedMembers(old.extensions, next.extensions).flatMap((name) => {
    if (elsewhere.has(name)) return []
    const [before, after] = [member(old.extensions, name), member(next.extensions, name)]
    const pointers = [joinPointer(old.pointer, name), joinPointer(next.pointer, name)] as const
    const place = joinPointer('#/methods', next.name, name)
    if (name === 'x-result-when') return diffConditions(context, next, pointers, [before, after])
    const sides = { ...sidesAt(pointers[0], before, undefined), ...sidesAt(pointers[1], undefined, after) }
    return [orderedChange(name, place, before, after, sides) ?? unknownExtension(name, place, sides)]
  })
}

function orderedChange(
  name: string,
  place: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  sides: ReturnType<typeof sidesAt>,
): Change | undefined {
  const known = Object.hasOwn(ordered, name) ? ordered[name] : undefined
  if (!known) return undefined
  const [from, to] = [before, after].map((value) => level(known.order, value))
  if (from === undefined || to === undefined) return undefined
  const [parties, reason] = to === from ? [[], 'means the same'] : to > from ? known.rise : known.fall
  return change(known.kind, place, parties, `${reason} (${shown(before)} became ${shown(after)})`, sides)
}

/** A flag that is absent is false. */
function level(order: Ordered['order'], value: JsonValue = false): number | undefined {
  if (order === 'numbers') return typeof value === 'number' ? value : undefined
  const at = order.indexOf(value)
  return at < 0 ? undefined : at
}

/** An extension that nobody here can judge is told as compatible, and as something to read. */
export function unknownExtension(name: string, place: string, sides: ReturnType<typeof sidesAt>): Change {
  const reason = `${shown(name)} changed: what it means is not known here, read it`
  return change('extension-changed', place, [], reason, { ...sides, undecided: true })
}

/**
 * `x-result-when`: for calls with a certain value of a parameter the result is narrower. Such promises are matched by
 * parameter and value.
 */
function diffConditions(
  { schemas }: DiffContext,
  method: Method,
  [oldPointer, newPointer]: readonly [string, string],
  [before, after]: readonly [JsonValue | undefined, JsonValue | undefined],
): readonly Change[] {
  const place = (at: number) => joinPointer('#/methods', method.name, 'x-result-when', at)
  const { added, removed, kept } = byName(conditions(before), conditions(after))
  for (const { old, new: next } of kept) {
    schemas.start(
      schemaAt(member(old.value, 'schema'), joinPointer(oldPointer, old.at, 'schema')),
      schemaAt(member(next.value, 'schema'), joinPointer(newPointer, next.at, 'schema')),
      joinPointer(place(next.at), 'schema'),
      'results',
      method.name,
    )
  }
  return [
    ...removed.map(([, { at, value }]) => {
      const sides = { old: { pointer: joinPointer(oldPointer, at) } }
      return change('constraint-removed', place(at), ['clients'], `no own result ${whenText(value)}`, sides)
    }),
    ...added.map(([, { at, value }]) => {
      const sides = { new: { pointer: joinPointer(newPointer, at) } }
      return change('constraint-added', place(at), ['servers'], `a narrower result ${whenText(value)}`, sides)
    }),
  ]
}

interface Condition {
  readonly at: number
  readonly value: JsonObject
}

function conditions(value: JsonValue | undefined): ReadonlyMap<string, Condition> {
  const list = arrayMember({ value }, 'value')
  return new Map(
    list.flatMap((item, at) =>
      isObject(item)
        ? [
            [
              canonicalText([member(item, 'param') ?? null, member(item, 'value') ?? null]),
              { at, value: item },
            ],
          ]
        : [],
    ),
  )
}

function whenText(condition: JsonObject): string {
  return `where parameter ${shown(member(condition, 'param'))} is ${shown(member(condition, 'value'))}`
}
