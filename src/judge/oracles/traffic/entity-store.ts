import { isDeepStrictEqual } from 'node:util'
import {
  type Contract,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  member,
  stringMember,
} from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import { matchValue } from '../../expect/match-value.js'
import { answeredCalls, exchangeJson } from '../../record/answered-calls.js'
import { captureAll } from '../../scenario/capture.js'
import { fill, type Variables } from '../../scenario/fill.js'
import type { Entity, EntityPlace } from '../../scenario/invariant.js'
import { parseTemplate } from '../../scenario/parse-template.js'
import { ScenarioRunError } from '../../scenario/scenario-run-error.js'
import { callEntities } from './call-entities.js'
import { type Seen, trafficDefaults, withoutLongBody } from './seen.js'

/** An entity in an answer. */
export interface Occurrence {
  readonly key: string
  readonly value: JsonObject
  readonly seen: Seen
}

/** Another answer had the entity of a key before. */
export type OnAgain = (entity: string, first: Occurrence, again: Occurrence) => void

/** The entities that the answers of a run had. Of too many, the oldest are forgotten. */
export class EntityStore {
  readonly #places: ReadonlyMap<string, readonly { entity: Entity; place: EntityPlace }[]>
  /** Differing values by entity and key, the first one first. */
  readonly #found = new Map<string, Map<string, Occurrence[]>>()
  readonly #params: ReadonlyMap<string, Method['params']>
  readonly #checks: Pick<Checks, 'schema' | 'takes'>
  readonly #onAgain: OnAgain
  #size = 0
  #bodyBytes = 0

  /** @param contract provides parameter names for entities that are calls */
  constructor(
    entities: readonly Entity[],
    { methods }: Pick<Contract, 'methods'>,
    checks: Pick<Checks, 'schema' | 'takes'>,
    onAgain: OnAgain,
  ) {
    this.#params = new Map(methods.map(({ name, params }) => [name, params]))
    const places = new Map<string, { entity: Entity; place: EntityPlace }[]>()
    for (const entity of entities) {
      this.#found.set(entity.name, new Map())
      for (const place of entity.places) {
        for (const method of place.methods) {
          places.set(method, [...(places.get(method) ?? []), { entity, place }])
        }
      }
    }
    this.#places = places
    this.#checks = checks
    this.#onAgain = onAgain
  }

  /** Finds the entities in the results of an exchange. */
  see(seen: Seen): void {
    const { outgoing, reply } = seen.exchange
    if (this.#places.size === 0 || reply?.text === undefined || reply.status !== 200) return
    if (reply.text.length > trafficDefaults.searchedCharacters) return
    const { sent = null, received = null } = exchangeJson(seen.exchange)
    const calls = isArray(sent) ? sent : [sent]
    if (!calls.some((call) => this.#places.has(methodOf(call)))) return
    const answers = answeredCalls(sent, received)
    const room = trafficDefaults.entityBodyBytes - this.#bodyBytes
    const light = withoutLongBody(seen, Math.max(trafficDefaults.bodyBytes, room))
    if (light.wholeBytes === undefined) this.#bodyBytes += reply.bytes.length
    const areCallsKnown =
      seen.exchange.isRespelled !== true &&
      (outgoing.body?.length ?? 0) <= Math.max(trafficDefaults.bodyBytes, room)
    for (const [answer, call = null] of answers) {
      if (!isObject(answer)) continue
      for (const { entity, place } of this.#places.get(methodOf(call)) ?? []) {
        const values =
          place.at !== undefined
            ? captureAll(place.at, answer, trafficDefaults.entitiesOfAnAnswer)
            : areCallsKnown && this.#isValid(call)
              ? callEntities(call, answer, calls, this.#params.get(methodOf(call)) ?? [])
              : []
        for (const value of values) this.#add(entity, place, value, light)
      }
    }
  }

  /** Answers to invalid parameters are not compared. */
  #isValid(call: JsonValue): boolean {
    return isObject(call) && this.#checks.takes(methodOf(call), member(call, 'params'))
  }

  /** Returns the differing values of an entity, the first one first. */
  of(entity: string, key: string): readonly Occurrence[] {
    return this.#found.get(entity)?.get(key) ?? []
  }

  /** Returns all values of an entity in the order in which they were found. */
  all(entity: string): readonly Occurrence[] {
    return [...(this.#found.get(entity)?.values() ?? [])].flat()
  }

  #add({ name, key: template }: Entity, { is }: EntityPlace, value: JsonValue, seen: Seen): void {
    if (!isObject(value)) return
    if (is !== undefined && matchValue(is, value, '', this.#checks.schema).length > 0) return
    const key = keyIn(template, value)
    if (key === undefined) return
    const occurrence = { key, value, seen }
    const keys = this.#found.get(name)
    const known = keys?.get(occurrence.key)
    const [first] = known ?? []
    if (first !== undefined) this.#onAgain(name, first, occurrence)
    if (known === undefined) keys?.set(occurrence.key, [occurrence])
    else if (known.some((other) => isDeepStrictEqual(other.value, value))) return
    else if (known.length < trafficDefaults.valuesOfAnEntity) known.push(occurrence)
    else return
    this.#size++
    while (this.#size > trafficDefaults.rememberedEntities) this.#forgetOldest()
  }

  /** Forgets the oldest key of the entity with the most keys. */
  #forgetOldest(): void {
    const [most] = [...this.#found.values()].toSorted((one, other) => other.size - one.size)
    const [oldest] = most?.keys() ?? []
    if (most === undefined || oldest === undefined) return
    this.#size -= most.get(oldest)?.length ?? 0
    most.delete(oldest)
  }
}

/** Fills in the key of an entity. An answer may have many, so only the named members are read. */
function keyIn(template: string, value: JsonObject): string | undefined {
  const parts = keyParts.get(template) ?? parseTemplate(template)
  keyParts.set(template, parts)
  let key = ''
  for (const part of typeof parts === 'string' ? [] : parts) {
    const text = 'text' in part ? part.text : member(value, part.variable)
    if (text === undefined || text === null) return undefined
    key += textOf(text)
  }
  return key
}

const keyParts = new Map<string, ReturnType<typeof parseTemplate>>()

/** Returns the method of a call; an empty text if there is none. */
function methodOf(call: JsonValue): string {
  return (isObject(call) ? stringMember(call, 'method') : undefined) ?? ''
}

/** Variables for the members of an entity, such as `block.number`. */
export function membersOf(value: JsonObject, name = ''): Map<string, JsonValue> {
  const prefix = name === '' ? '' : `${name}.`
  const variables = new Map<string, JsonValue>(name === '' ? [] : [[name, value]])
  for (const [key, item] of Object.entries(value))
    if (item !== undefined) variables.set(`${prefix}${key}`, item)
  return variables
}

/** Fills in a template. Returns undefined if a member that it names is missing or unusable. */
export function filledOr(template: JsonValue, variables: Variables): JsonValue | undefined {
  try {
    return fill(template, variables)
  } catch (error) {
    if (error instanceof ScenarioRunError) return undefined
    throw error
  }
}

/** Text of a key. Keys of different types differ. */
export function textOf(key: JsonValue): string {
  return typeof key === 'string' ? key : JSON.stringify(key)
}
