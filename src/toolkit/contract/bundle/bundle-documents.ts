import { contractError } from '../contract-error.js'
import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  objectMember,
  stringMember,
} from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { type Documents, documentOf, lookUp, pointerOf } from '../load/documents.js'
import { dialectOf } from '../model/dialect.js'
import { schemaKeywords } from '../model/schema-keywords.js'
import { componentNames, type Target, targetKey } from './component-names.js'
import { dataMembers, type Kind, kindMembers, methodMembers } from './reference-kinds.js'

/** A component that a bundle makes of an object in another file. */
export interface BundledComponent extends Pick<Target, 'kind' | 'place'> {
  readonly name: string
}

/** Options of {@link bundleDocuments}. */
export interface BundleOptions {
  /** Names of extensions that are left out. */
  readonly omitted?: ReadonlySet<string>
  /** Names of components by the place of their object, such as `units.json#/definitions/Hash`. */
  readonly chosen?: ReadonlyMap<string, string>
}

/** Lists the components that {@link bundleDocuments} makes of objects in other files, in the order of their places. */
export function bundledComponents(
  documents: Documents,
  { omitted = new Set(), chosen }: BundleOptions = {},
): readonly BundledComponent[] {
  const targets = targetsOf(documents, omitted)
  const { names } = componentNames(targets, documents, chosen)
  return targets
    .map(({ kind, place }) => ({ kind, place, name: names.get(targetKey({ kind, place })) ?? '' }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
}

function targetsOf(documents: Documents, omitted: ReadonlySet<string>): readonly Target[] {
  const targets = new Map<string, Target>()
  const collect = createWalk(documents, omitted, (target) => {
    const key = targetKey(target)
    if (targets.has(key)) return ''
    targets.set(key, target)
    collect(target.value, target.kind, target.place)
    return ''
  })
  copyRoot(documents.root, collect)
  return [...targets.values()]
}

/**
 * Merges the files of a contract into one document and keeps its references. A target in another file becomes a
 * component with a unique name that depends only on its own place and on names that it would collide with.
 * @param documents the files of the contract
 * @param options what is left out, and names of components
 * @returns the document; all references begin with `#/`
 * @throws ContractError for a reference without a target, and for a chosen name that cannot be used
 */
export function bundleDocuments(
  documents: Documents,
  { omitted = new Set(), chosen }: BundleOptions = {},
): JsonObject {
  const { root } = documents
  const targets = targetsOf(documents, omitted)
  const { names, owned } = componentNames(targets, documents, chosen)
  const copy = createWalk(
    documents,
    omitted,
    (target) => `#/components/${target.kind}/${names.get(targetKey(target))}`,
  )
  const bundled = copyRoot(root, copy)
  const components: Record<string, Record<string, JsonValue>> = {}
  for (const target of targets) {
    const name = names.get(targetKey(target)) ?? ''
    components[target.kind] = {
      ...components[target.kind],
      [name]: withDialect(copy(target.value, target.kind, target.place), target),
    }
  }
  return withComponents(bundled, components, owned)
}

/** States the dialect of a schema that its file stated. */
function withDialect(copied: JsonValue, { value, kind }: Target): JsonValue {
  const dialect = kind === 'schemas' && isObject(value) ? dialectOf(value) : undefined
  return dialect === undefined || !isObject(copied) ? copied : { $schema: dialect.uri, ...copied }
}

/** Adds components. A component of the main document that only refers to a target is replaced with it. */
function withComponents(
  document: JsonObject,
  added: Readonly<Record<string, JsonObject>>,
  owned: ReadonlySet<string>,
): JsonObject {
  if (Object.keys(added).length === 0) return document
  const own = objectMember(document, 'components')
  const kinds = [...new Set([...Object.keys(own), ...Object.keys(added)])]
  const components = Object.fromEntries(
    kinds.map((kind) => {
      const [before, after] = [objectMember(own, kind), objectMember(added, kind)]
      const kept = Object.entries(before).map(([name, value]) =>
        owned.has(joinPointer('#/components', kind, name)) ? [name, after[name]] : [name, value],
      )
      return [kind, { ...Object.fromEntries(kept), ...after }]
    }),
  )
  return { ...document, components }
}

const mapKeywords: ReadonlySet<string> = new Set(schemaKeywords.map)

/** Copies a part of a document and replaces its references. */
type Walk = (value: JsonValue, kind: Kind | 'method', place: string) => JsonValue

function copyRoot(root: JsonObject, walk: Walk): JsonObject {
  const copied = Object.entries(root).map(([name, value = null]): readonly [string, JsonValue] => {
    const place = joinPointer('#', name)
    if (name === 'methods') {
      const methods = arrayMember(root, 'methods')
      return [name, methods.map((method, at) => walk(method, 'method', joinPointer(place, at)))]
    }
    if (name !== 'components' || !isObject(value)) return [name, walk(value, 'inline', place)]
    const kinds = Object.entries(value).map(([kind, items = null]): readonly [string, JsonValue] => {
      if (!isObject(items)) return [kind, items]
      const entries = Object.entries(items).map(([key, item = null]): readonly [string, JsonValue] => [
        key,
        walk(item, kind as Kind, joinPointer(place, kind, key)),
      ])
      return [kind, Object.fromEntries(entries)]
    })
    return [name, Object.fromEntries(kinds)]
  })
  return Object.fromEntries(copied)
}

/**
 * Creates a function that copies values.
 * @param omitted names of extensions that are left out
 * @param refer returns the new reference to a target in another file
 */
function createWalk(
  documents: Documents,
  omitted: ReadonlySet<string>,
  refer: (target: Target) => string,
): Walk {
  const found = (reference: string, place: string) => {
    const target = lookUp(documents, reference, place)
    if (typeof target === 'string') throw contractError(place, target)
    return target
  }
  const walk: Walk = (value, kind, place) => {
    if (isArray(value)) return value.map((item, at) => walk(item, kind, joinPointer(place, at)))
    if (!isObject(value)) return value
    const reference = stringMember(value, '$ref')
    if (reference === undefined) return copied(value, kind, place)
    // A reference within the main document keeps its spelling.
    if (reference.startsWith('#') && documentOf(place) === '') return copied(value, kind, place)
    const target = found(reference, place)
    if (documentOf(target.pointer) === '') return { ...copied(value, kind, place), $ref: target.pointer }
    // OpenRPC has no components for methods and servers.
    if (kind === 'method' || kind === 'inline') return walk(target.value, kind, target.pointer)
    return {
      ...copied(value, kind, place),
      $ref: refer({ kind, place: target.pointer, value: target.value }),
    }
  }
  /** The names in such a map are no keywords: a member may be called `default` or `$ref`. */
  const walkedMap = (map: JsonObject, place: string): JsonObject =>
    Object.fromEntries(
      Object.entries(map).map(([name, value = null]) => [
        name,
        walk(value, 'schemas', joinPointer(place, name)),
      ]),
    )
  const copied = (object: JsonObject, kind: Kind | 'method', place: string): JsonObject => {
    const members = kind === 'method' ? methodMembers : kindMembers[kind]
    const data = kind === 'method' ? undefined : dataMembers[kind]
    // References in a bundled file are rewritten, so they must not resolve against its `$id`.
    const isFile = kind === 'schemas' && pointerOf(place) === '#'
    const kept = Object.entries(object).filter(([name]) => !(isFile && name === '$id') && !omitted.has(name))
    const entries = kept.map(([name, value = null]): readonly [string, JsonValue] => {
      if (data?.has(name) || (name === '$ref' && typeof value === 'string')) return [name, value]
      if (kind === 'schemas' && mapKeywords.has(name) && isObject(value)) {
        return [name, walkedMap(value, joinPointer(place, name))]
      }
      const inner = members?.[name]
      const next = inner === undefined ? otherKind(kind, name) : typeof inner === 'string' ? inner : inner[0]
      return [name, walk(value, next, joinPointer(place, name))]
    })
    return Object.fromEntries(entries)
  }
  return walk
}

/** Inside a schema, all objects are schemas. Extensions hold schemas, too, such as `x-data-schema`. */
function otherKind(kind: Kind | 'method', name: string): Kind {
  return kind === 'schemas' || name.startsWith('x-') ? 'schemas' : 'inline'
}
