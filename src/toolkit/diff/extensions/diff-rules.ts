import {
  arrayMember,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  listChanges,
  type Method,
  member,
  stringMember,
} from '../../contract/index.js'
import type { Change } from '../change.js'
import {
  byName,
  change,
  changedMembers,
  type DiffContext,
  everybody,
  itemMap,
  sidesAt,
} from '../diff-context.js'
import { shown } from '../words.js'

const place = '#/info/x-rules'

/**
 * Compares `x-rules` by id. An added mandatory rule breaks servers, and a removed one breaks clients.
 * Advisory rules break neither party. A changed text is marked for review.
 * @param context the two contracts
 */
export function diffRules(context: DiffContext): readonly Change[] {
  const [before, after] = [context.old, context.new].map((contract) => member(contract.info, 'x-rules'))
  const { added, removed, kept } = byName(itemMap(before, 'id'), itemMap(after, 'id'))
  const catalogue = new Set([...added, ...removed].map(([id]) => id))
  return [
    ...added.map(([id, { at, value }]) => {
      const reason = `${levelOf(value)} rule added: ${ruleText(value)}`
      const sides = { new: { pointer: joinPointer(place, at) }, ...usersOf(context.new.methods, id) }
      return change(
        'rule-added',
        joinPointer(place, id),
        isMandatory(value) ? ['servers'] : [],
        reason,
        sides,
      )
    }),
    ...removed.map(([id, { at, value }]) => {
      const reason = `${levelOf(value)} rule removed: ${ruleText(value)}`
      const sides = { old: { pointer: joinPointer(place, at) }, ...usersOf(context.old.methods, id) }
      return change(
        'rule-removed',
        joinPointer(place, id),
        isMandatory(value) ? ['clients'] : [],
        reason,
        sides,
      )
    }),
    ...kept.flatMap(({ name, old, new: next }) => diffRule(name, old, next)),
    ...diffRuleReferences(context, catalogue, itemMap(after, 'id')),
  ]
}

interface Placed {
  readonly at: number
  readonly value: JsonObject
}

function diffRule(
  id: string,
  { at: oldAt, value: old }: Placed,
  { at, value: next }: Placed,
): readonly Change[] {
  const pointer = joinPointer(place, id)
  const sides = (name: string) => ({
    ...sidesAt(joinPointer(place, oldAt, name), member(old, name), undefined),
    ...sidesAt(joinPointer(place, at, name), undefined, member(next, name)),
  })
  const became = (name: string) => `${shown(member(old, name))} became ${shown(member(next, name))}`
  return changedMembers(old, next).map((name) => {
    if (name === 'level') {
      const party = isMandatory(next) ? 'servers' : 'clients'
      return change('rule-level-changed', pointer, [party], `level ${became(name)}`, sides(name))
    }
    if (name === 'scope') {
      const reason = `scope ${became(name)}: cannot tell where it applies`
      return change('rule-scope-changed', pointer, everybody, reason, { ...sides(name), undecided: true })
    }
    if (name === 'text') {
      const reason = `text ${became(name)}: review whether its meaning changed`
      return change('rule-text-changed', pointer, [], reason, { ...sides(name), undecided: true })
    }
    return change('documentation-changed', pointer, [], `${name} changed`, sides(name))
  })
}

/**
 * Compares the rules that methods refer to. Added and removed rules were already reported with their methods.
 */
function diffRuleReferences(
  context: DiffContext,
  catalogue: ReadonlySet<string>,
  rules: ReadonlyMap<string, Placed>,
): readonly Change[] {
  const newMethods = new Map(context.new.methods.map((method) => [method.name, method]))
  return context.old.methods.flatMap((old) => {
    const next = newMethods.get(old.name)
    if (!next) return []
    const { added, removed } = listChanges(ruleIds(old), ruleIds(next))
    const pointer = joinPointer('#/methods', next.name, 'x-rules')
    const sides = {
      old: { pointer: joinPointer(old.pointer, 'x-rules') },
      new: { pointer: joinPointer(next.pointer, 'x-rules') },
    }
    const remaining = (ids: readonly JsonValue[]) => ids.filter((id) => !catalogue.has(String(id)))
    const binds = (id: JsonValue) => isMandatory(rules.get(String(id))?.value ?? {})
    return [
      ...remaining(added).map((id) =>
        change('rule-added', pointer, binds(id) ? ['servers'] : [], `rule ${shown(id)} applies`, sides),
      ),
      ...remaining(removed).map((id) =>
        change(
          'rule-removed',
          pointer,
          binds(id) ? ['clients'] : [],
          `rule ${shown(id)} no longer applies`,
          sides,
        ),
      ),
    ]
  })
}

function ruleIds({ extensions }: Method): readonly JsonValue[] {
  return arrayMember(extensions, 'x-rules').map((rule) =>
    isObject(rule) ? (member(rule, 'id') ?? null) : rule,
  )
}

function usersOf(methods: readonly Method[], id: string): { readonly methods?: readonly string[] } {
  const users = methods.filter((method) => ruleIds(method).includes(id)).map(({ name }) => name)
  return users.length === 0 ? {} : { methods: users.sort() }
}

/** Rules are mandatory unless their level is advisory. */
function isMandatory(rule: JsonObject): boolean {
  return member(rule, 'level') !== 'advisory'
}

function levelOf(rule: JsonObject): string {
  return isMandatory(rule) ? 'mandatory' : 'advisory'
}

function ruleText(rule: JsonObject): string {
  return shown(stringMember(rule, 'text') ?? '')
}
