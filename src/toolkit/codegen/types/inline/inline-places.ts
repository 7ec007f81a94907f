import {
  type Contract,
  impliedType,
  isObject,
  type LocatedSchema,
  type Method,
  member,
  schemaList,
  schemaMap,
  schemaMember,
} from '../../../contract/index.js'
import { labelName, pascalName } from '../identifiers.js'
import { stringList } from '../keywords/any-type.js'

/** How a schema is held. A `result` may be error data, a `form` is one of `anyOf` or `oneOf`, a `part` one of `allOf`. */
export type Role = 'member' | 'item' | 'param' | 'result' | 'form' | 'part'

/** A schema that is written inline, and its place. */
export interface InlinePlace {
  readonly located: LocatedSchema
  readonly role: Role
  /** The inline schema that contains it. */
  readonly parent: InlinePlace | undefined
  /** The words that this place adds to the name of its parent, or a whole name without one: `GetEventsResult`. */
  readonly word: string
  /** The place by names, which the order of methods does not change. */
  readonly path: string
  /** The number of inline schemas around it. */
  readonly depth: number
  /** The title as a name, if it can be one. */
  readonly title: string | undefined
}

/** Most words and characters of a title that becomes a name. Longer titles are sentences. */
const mostTitleWords = 5
const mostTitleLength = 40

/**
 * Lists the schemas that are written inline in parameters, results, error data and named schemas.
 * @param names the type names of components and of other targets of references, by pointer
 */
export function inlinePlaces(contract: Contract, names: ReadonlyMap<string, string>): readonly InlinePlace[] {
  const isInline = ({ located }: InlinePlace) => !names.has(located.pointer)
  const named = [...names].flatMap(([pointer, name]) => {
    const located = contract.resolve(pointer, '#')
    return innerPlaces({
      located,
      role: 'member',
      parent: undefined,
      word: name,
      path: pointer,
      depth: 0,
      title: undefined,
    })
  })
  const waiting = [...named, ...contract.methods.flatMap(methodPlaces), ...errorPlaces(contract)]
    .filter(isInline)
    .reverse()
  const found: InlinePlace[] = []
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    found.push(place)
    waiting.push(...innerPlaces(place).filter(isInline).reverse())
  }
  return found
}

function methodPlaces({ name, params, result }: Method): readonly InlinePlace[] {
  const method = pascalName(name)
  const place = (located: LocatedSchema, role: Role, word: string, path: string): InlinePlace => ({
    located,
    role,
    parent: undefined,
    word: method + word,
    path: `${name} ${path}`,
    depth: 0,
    title: titleName(located),
  })
  return [
    ...params.map((param) =>
      place(param.schema, 'param', `Params${pascalName(param.name)}`, `params ${param.name}`),
    ),
    ...(result ? [place(result.schema, 'result', 'Result', 'result')] : []),
  ]
}

function errorPlaces({ errors }: Contract): readonly InlinePlace[] {
  return errors.flatMap(({ key, data }) => {
    if (!data) return []
    const word = `${pascalName(key)}Data`
    return [
      {
        located: data,
        role: 'result',
        parent: undefined,
        word,
        path: `error ${key}`,
        depth: 0,
        title: titleName(data),
      },
    ]
  })
}

/** Lists the schemas inside a schema whose values are parts of its own values. Conditions are left out. */
function innerPlaces(parent: InlinePlace): readonly InlinePlace[] {
  const { located } = parent
  const at = (inner: LocatedSchema, role: Role, word: string): InlinePlace => ({
    located: inner,
    role,
    parent,
    word,
    path: parent.path + inner.pointer.slice(located.pointer.length),
    depth: parent.depth + 1,
    title: titleName(inner),
  })
  const one = (keyword: string, role: Role, word: string) => {
    const inner = schemaMember(located, keyword)
    return inner ? [at(inner, role, word)] : []
  }
  const tuple = schemaList(located, 'items')
  return [
    ...schemaMap(located, 'properties').map(([key, inner]) => at(inner, 'member', pascalName(key))),
    ...schemaMap(located, 'patternProperties').map(([, inner]) => at(inner, 'member', 'Value')),
    ...one('additionalProperties', 'member', 'Value'),
    ...one('items', 'item', 'Item'),
    ...tuple.map((inner, index) => at(inner, 'item', tuple.length === 1 ? 'Item' : `Item${index}`)),
    ...one('additionalItems', 'item', 'Rest'),
    ...schemaList(located, 'allOf').map((inner) => at(inner, 'part', '')),
    ...['anyOf', 'oneOf'].flatMap((keyword) =>
      schemaList(located, keyword).map((inner, index) =>
        at(inner, 'form', isNullable(located) ? (parent.title ?? '') && 'Value' : `Option${index + 1}`),
      ),
    ),
  ]
}

/** Returns true for a composition of null and one other schema, without keywords of its own. */
export function isNullable(located: LocatedSchema): boolean {
  const { schema } = located
  const forms = [...schemaList(located, 'anyOf'), ...schemaList(located, 'oneOf')]
  const others = forms.filter((form) => !isObject(form.schema) || member(form.schema, 'type') !== 'null')
  const own = ['type', 'enum', 'const', 'allOf', '$ref']
  if (!isObject(schema) || others.length !== 1 || impliedType(schema) !== undefined) return false
  return !own.some((keyword) => keyword in schema)
}

/** Returns the title of a schema as a name, or undefined if it is no name. */
function titleName({ schema }: LocatedSchema): string | undefined {
  const title = isObject(schema) ? member(schema, 'title') : undefined
  if (typeof title !== 'string' || title.length > mostTitleLength) return undefined
  const words = title.split(/\s+/)
  const name = pascalName(title)
  return words.length > mostTitleWords || !/^\p{L}/u.test(name) || labelName(name) !== name ? undefined : name
}

/** Returns true if a schema in a composition requires only members that it declares itself. */
export function isSelfContained({ located }: InlinePlace): boolean {
  const { schema } = located
  if (!isObject(schema)) return false
  const own = new Set(schemaMap(located, 'properties').map(([name]) => name))
  return stringList(member(schema, 'required')).every((name) => own.has(name))
}
