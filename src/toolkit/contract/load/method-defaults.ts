import type { ContractProblem } from '../contract-error.js'
import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../json.js'
import { joinPointer, pointerTokens, valueAt } from '../json-pointer.js'

/** The extension of the info object that states what the methods of a document have in common. */
export const defaultsExtension = 'x-method-defaults'

const place = `#/info/${defaultsExtension}`

/** Members of OpenRPC's method object that can be stated once. Extensions can, too. */
const sharedMembers: readonly string[] = ['errors', 'paramStructure']

/**
 * Writes `x-method-defaults` out: its errors follow the errors of every method, and its other members are added to
 * methods that lack them. Everything that reads a contract gets the result, so both forms mean the same.
 * Methods in other files state all members themselves, because references are relative to their file.
 * Notifications get no errors, because they are not answered.
 * @param document a document with or without `x-method-defaults`
 * @returns the document without the extension
 */
export function withMethodDefaults(document: JsonObject): JsonObject {
  const info = member(document, 'info')
  if (!isObject(info) || member(info, defaultsExtension) === undefined) return document
  const { [defaultsExtension]: _, ...others } = info
  const defaults = usableDefaults(document, objectMember(info, defaultsExtension))
  const methods = member(document, 'methods')
  const written = isArray(methods) && {
    methods: methods.map((method) => (isObject(method) ? writtenOut(document, method, defaults) : method)),
  }
  return { ...document, info: others, ...written }
}

/** Leaves out what {@link defaultsProblems} reports, so that it is not reported again for each method. */
function usableDefaults(document: JsonObject, defaults: JsonObject): JsonObject {
  const usable = Object.entries(defaults).flatMap(([name, value = null]) => {
    if (name !== 'errors') return isShared(name) ? [[name, value] as const] : []
    const errors = isArray(value) ? value : []
    return [[name, errors.filter((error) => danglingReference(document, error) === undefined)] as const]
  })
  return Object.fromEntries(usable)
}

function writtenOut(document: JsonObject, method: JsonObject, defaults: JsonObject): JsonObject {
  if (member(method, '$ref') !== undefined) return method
  const { errors: shared, ...members } = defaults
  const added = Object.entries(members).filter(
    ([name]) => member(method, name) === undefined && !mustState(document, method, name),
  )
  const own = member(method, 'errors')
  const texts = new Set((isArray(own) ? own : []).map((error) => JSON.stringify(error)))
  const others = isArray(shared) ? shared.filter((error) => !texts.has(JSON.stringify(error))) : []
  const isAnswered = member(method, 'result') !== undefined
  const errors =
    isAnswered && shared !== undefined && (own === undefined || isArray(own))
      ? { errors: [...(own ?? []), ...others] }
      : {}
  return { ...method, ...Object.fromEntries(added), ...errors }
}

/**
 * Returns true if a parameter of the method leads to a schema for which the extension has no default. The
 * declaration lists these schemas in `x-stated-for`.
 */
function mustState(document: JsonObject, method: JsonObject, name: string): boolean {
  const declaration = arrayMember(document, 'x-extensions').find(
    (item) => isObject(item) && stringMember(item, 'name') === name,
  )
  const schemas = isObject(declaration) ? arrayMember(declaration, 'x-stated-for') : []
  if (schemas.length === 0) return false
  const references = new Set(schemas.map((key) => joinPointer('#/components/schemas', String(key))))
  const seen = new Set<string>()
  const waiting: (JsonValue | undefined)[] = [member(method, 'params')]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (isArray(next)) waiting.push(...next)
    if (!isObject(next)) continue
    waiting.push(...Object.values(next))
    const reference = stringMember(next, '$ref')
    if (reference === undefined || seen.has(reference)) continue
    if (references.has(reference)) return true
    seen.add(reference)
    waiting.push(valueAt(document, pointerTokens(reference) ?? []))
  }
  return false
}

function isShared(name: string): boolean {
  return sharedMembers.includes(name) || name.startsWith('x-')
}

/** Finds what cannot be a default. The values themselves are checked as those of a method. */
export function defaultsProblems(document: JsonObject): readonly ContractProblem[] {
  const defaults = member(objectMember(document, 'info'), defaultsExtension)
  if (defaults === undefined) return []
  if (!isObject(defaults))
    return [{ pointer: place, message: 'must be an object with members of a method object' }]
  const unknown = Object.keys(defaults).filter((name) => !isShared(name))
  const dangling = arrayMember(defaults, 'errors').flatMap((error, at) => {
    const reference = danglingReference(document, error)
    const message = `"${reference}" does not exist: correct the reference`
    return reference === undefined ? [] : [{ pointer: joinPointer(place, 'errors', at), message }]
  })
  return [
    ...unknown.map((name) => ({
      pointer: joinPointer(place, name),
      message: `"${name}" cannot have a default: use ${sharedMembers.join(', ')} and extensions`,
    })),
    ...dangling,
  ]
}

/** Returns a document whose only method consists of the defaults, and a function that returns the place of a problem. */
export function defaultsAsDocument(document: JsonObject):
  | {
      readonly document: JsonObject
      readonly placeOf: (pointer: string) => string | undefined
    }
  | undefined {
  const defaults = member(objectMember(document, 'info'), defaultsExtension)
  if (!isObject(defaults)) return undefined
  const shared = Object.entries(defaults).filter(([name]) => isShared(name))
  const method = { name: 'defaults', params: [], ...Object.fromEntries(shared) }
  return {
    document: { ...document, methods: [method], components: {} },
    placeOf: (pointer) =>
      pointer.startsWith('#/methods/0/') ? `${place}${pointer.slice('#/methods/0'.length)}` : undefined,
  }
}

function danglingReference(document: JsonObject, error: JsonValue): string | undefined {
  const reference = isObject(error) ? stringMember(error, '$ref') : undefined
  if (reference === undefined || !reference.startsWith('#')) return undefined
  const tokens = pointerTokens(reference)
  return tokens && valueAt(document, tokens) !== undefined ? undefined : reference
}
