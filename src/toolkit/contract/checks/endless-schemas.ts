import { isObject, member } from '../json.js'
import type { Contract } from '../model/contract.js'
import { followed } from '../model/reachable-schemas.js'
import { type LocatedSchema, schemaList, schemaMap, schemaMember } from '../model/schema.js'
import { isAnnotation } from '../model/schema-keywords.js'

/** Pointers of schemas that lead back to themselves for the same value. */
interface Endless {
  /** Schemas that are endless even without the surplus alternatives. */
  readonly endless: ReadonlySet<string>
  /** Alternatives of a union that only refer back to the union. Without them, the union accepts the same values. */
  readonly surplus: ReadonlySet<string>
}

/** Finds the schemas that lead back to themselves without a member or an item in between. */
export function endlessSchemas(schemas: readonly LocatedSchema[], contract: Contract): Endless {
  const endless = endlessPointers(schemas, contract, new Set())
  const surplus = schemas.filter((located) => endless.has(located.pointer) && isSurplus(located, contract))
  const removed = new Set(surplus.map(({ pointer }) => pointer))
  return {
    endless: removed.size === 0 ? endless : endlessPointers(schemas, contract, removed),
    surplus: removed,
  }
}

function isSurplus(located: LocatedSchema, contract: Contract): boolean {
  if (!/\/anyOf\/\d+$/.test(located.pointer) || !isOnly(located, '$ref')) return false
  const target = followed(located, contract, () => undefined)
  return target !== undefined && unionHolds(target, located.pointer, contract, new Set())
}

/** Returns true if a place is among the alternatives of a union, or of unions within it. */
function unionHolds(here: LocatedSchema, pointer: string, contract: Contract, seen: Set<string>): boolean {
  if (here.pointer === pointer) return true
  if (seen.has(here.pointer)) return false
  seen.add(here.pointer)
  const target = isOnly(here, '$ref') ? followed(here, contract, () => undefined) : undefined
  const forms = isOnly(here, 'anyOf') ? schemaList(here, 'anyOf') : []
  return [...(target ? [target] : []), ...forms].some((each) => unionHolds(each, pointer, contract, seen))
}

function isOnly({ schema }: LocatedSchema, keyword: string): boolean {
  if (!isObject(schema) || member(schema, keyword) === undefined) return false
  return Object.keys(schema).every((name) => name === keyword || isAnnotation(name))
}

function endlessPointers(
  schemas: readonly LocatedSchema[],
  contract: Contract,
  removed: ReadonlySet<string>,
): ReadonlySet<string> {
  const left = new Map(
    schemas.map((located) => [
      located.pointer,
      removed.has(located.pointer) ? [] : sameValueSchemas(located, contract).map(({ pointer }) => pointer),
    ]),
  )
  const users = new Map<string, string[]>()
  for (const [pointer, used] of left) {
    for (const target of used) {
      const known = users.get(target)
      if (known) known.push(pointer)
      else users.set(target, [pointer])
    }
  }
  // Schemas without remaining references cannot be part of a cycle. In most contracts, no schema remains.
  const ended = [...left].filter(([, used]) => used.length === 0).map(([pointer]) => pointer)
  for (let next = ended.pop(); next !== undefined; next = ended.pop()) {
    left.delete(next)
    for (const user of users.get(next) ?? []) {
      const stays = left.get(user)?.filter((used) => used !== next)
      if (!stays) continue
      left.set(user, stays)
      if (stays.length === 0) ended.push(user)
    }
  }
  return new Set([...left.keys()].filter((pointer) => leadsTo(pointer, pointer, left)))
}

function leadsTo(from: string, to: string, steps: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>()
  const waiting = [...(steps.get(from) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === to) return true
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...(steps.get(next) ?? []))
  }
  return false
}

function sameValueSchemas(located: LocatedSchema, contract: Contract): LocatedSchema[] {
  const target = followed(located, contract, () => undefined)
  return [
    ...(target ? [target] : []),
    ...['not', 'if', 'then', 'else'].flatMap((keyword) => schemaMember(located, keyword) ?? []),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemaList(located, keyword)),
    ...['dependencies', 'dependentSchemas'].flatMap((keyword) =>
      schemaMap(located, keyword).map(([, schema]) => schema),
    ),
  ]
}
