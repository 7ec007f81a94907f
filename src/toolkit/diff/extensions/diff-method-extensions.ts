import {
  arrayMember,
  canonicalText,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  type Method,
  member,
} from '../../contract/index.js'
import type { Change } from '../change.js'
import { byName, change, changedMembers, type DiffContext, schemaAt, sidesAt } from '../diff-context.js'
import { shown } from '../words.js'
import { methodJudgements } from './method-judgements.js'

/** Extensions that are compared with the rules of the whole contract. */
const elsewhere: ReadonlySet<string> = new Set(['x-rules'])

/** Compares the extensions of a method object. Unknown extensions are reported for review. */
export function diffMethodExtensions(context: DiffContext, old: Method, next: Method): readonly Change[] {
  return changedMembers(old.extensions, next.extensions).flatMap((name) => {
    if (elsewhere.has(name)) return []
    const [before, after] = [member(old.extensions, name), member(next.extensions, name)]
    const pointers = [joinPointer(old.pointer, name), joinPointer(next.pointer, name)] as const
    const place = joinPointer('#/methods', next.name, name)
    if (name === 'x-result-when') return diffConditions(context, next, pointers, [before, after])
    const sides = { ...sidesAt(pointers[0], before, undefined), ...sidesAt(pointers[1], undefined, after) }
    return judgedChanges(name, place, [before, after], sides)
  })
}

/** Judges known extensions by what callers observe. Unknown extensions are compatible. */
function judgedChanges(
  name: string,
  place: string,
  [before, after]: readonly [JsonValue | undefined, JsonValue | undefined],
  sides: ReturnType<typeof sidesAt>,
): readonly Change[] {
  const judge = Object.hasOwn(methodJudgements, name) ? methodJudgements[name] : undefined
  const judgements = judge?.(before, after)
  if (!judgements) return [unknownExtension(name, place, sides)]
  return judgements.map(({ kind, breaks, reason }) => change(kind, place, breaks, reason, sides))
}

/** Creates the change of an unknown extension. It is compatible and marked for review. */
export function unknownExtension(name: string, place: string, sides: ReturnType<typeof sidesAt>): Change {
  const reason = `${shown(name)} changed: unknown extension, review its meaning`
  return change('extension-changed', place, [], reason, { ...sides, undecided: true })
}

/**
 * Compares `x-result-when`, which narrows the result for certain parameter values. Entries are matched by
 * parameter and condition.
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
      return change(
        'constraint-removed',
        place(at),
        ['clients'],
        `no longer promises a result ${whenText(value)}`,
        sides,
      )
    }),
    ...added.map(([, { at, value }]) => {
      const sides = { new: { pointer: joinPointer(newPointer, at) } }
      return change(
        'constraint-added',
        place(at),
        ['servers'],
        `promises a narrower result ${whenText(value)}`,
        sides,
      )
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
              canonicalText([
                member(item, 'param') ?? null,
                member(item, 'value') ?? null,
                member(item, 'matches') ?? null,
              ]),
              { at, value: item },
            ],
          ]
        : [],
    ),
  )
}

function whenText(condition: JsonObject): string {
  const schema = member(condition, 'matches')
  const says = schema === undefined ? `is ${shown(member(condition, 'value'))}` : `matches ${shown(schema)}`
  return `if parameter ${shown(member(condition, 'param'))} ${says}`
}
