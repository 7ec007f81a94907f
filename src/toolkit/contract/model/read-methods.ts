import type { ContractProblem } from '../contract-error.js'
import {
  arrayMember,
  extensionMembers,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  numberMember,
  objectMember,
  stringMember,
} from '../json.js'
import { joinPointer, pointerTokens } from '../json-pointer.js'
import { type DocumentReader, documentOf, type LocatedObject, pointerOf } from '../load/documents.js'
import type {
  ContentDescriptor,
  Contract,
  DeclaredError,
  ExamplePairing,
  Link,
  Method,
  Param,
} from './contract.js'
import { isSchema, type LocatedSchema, referenceOf } from './schema.js'

/** Parts of the contract that reading methods requires. */
export interface MethodSources {
  readonly resolve: Contract['resolve']
  /** The errors of `components.errors`. */
  readonly errors: readonly DeclaredError[]
}

/** Reads the methods in the document's order, and reports duplicate names. */
export function readMethods(
  reader: DocumentReader,
  document: JsonObject,
  sources: MethodSources,
): readonly Method[] {
  const located = reader.objects(arrayMember(document, 'methods'), '#/methods')
  const methods = located.map((object) => readMethod(reader, object, sources))
  noteDuplicates(reader, methods, 'method')
  return withInlineErrorNames(methods, sources.errors)
}

function readMethod(
  reader: DocumentReader,
  { pointer, value }: LocatedObject,
  sources: MethodSources,
): Method {
  const name = stringMember(value, 'name') ?? ''
  const result = member(value, 'result')
  return {
    ...documented(pointer, value),
    name,
    deprecated: member(value, 'deprecated') === true,
    tags: readTags(reader, value, pointer),
    params: readParams(reader, value, pointer, sources.resolve),
    paramStructure: readStructure(value),
    result: result === undefined ? undefined : readResult(reader, result, joinPointer(pointer, 'result')),
    errors: readMethodErrors(reader, { pointer, value }, sources.errors),
    statesErrors: member(value, 'errors') !== undefined,
    examples: reader
      .objects(arrayMember(value, 'examples'), joinPointer(pointer, 'examples'))
      .map((example) => readExample(reader, example)),
    links: readLinks(reader, { pointer, value }, name),
    extensions: extensionMembers(value),
  }
}

function documented(pointer: string, value: JsonObject) {
  return { pointer, summary: stringMember(value, 'summary'), description: stringMember(value, 'description') }
}

function readTags(reader: DocumentReader, method: JsonObject, pointer: string): readonly string[] {
  const tags = reader.objects(arrayMember(method, 'tags'), joinPointer(pointer, 'tags'))
  return tags.flatMap(({ value }) => stringMember(value, 'name') ?? [])
}

/** OpenRPC's default is "either". */
function readStructure(method: JsonObject): Method['paramStructure'] {
  const structure = member(method, 'paramStructure')
  return structure === 'by-name' || structure === 'by-position' ? structure : 'either'
}

function readParams(
  reader: DocumentReader,
  method: JsonObject,
  pointer: string,
  resolve: Contract['resolve'],
): readonly Param[] {
  const located = reader.objects(arrayMember(method, 'params'), joinPointer(pointer, 'params'))
  const params = located.map((object) => {
    const descriptor = readDescriptor(object)
    return {
      ...descriptor,
      required: member(object.value, 'required') === true,
      default: defaultOf(descriptor.schema, resolve),
    }
  })
  noteDuplicates(reader, params, 'parameter')
  return params
}

function readResult(
  reader: DocumentReader,
  value: JsonValue,
  pointer: string,
): ContentDescriptor | undefined {
  const located = reader.object(value, pointer)
  return located && readDescriptor(located)
}

function readDescriptor({ pointer, value }: LocatedObject): ContentDescriptor {
  const schema = member(value, 'schema')
  return {
    ...documented(pointer, value),
    name: stringMember(value, 'name') ?? '',
    deprecated: member(value, 'deprecated') === true,
    schema: { pointer: joinPointer(pointer, 'schema'), schema: isSchema(schema) ? schema : true },
  }
}

/** Finds the nearest default along a chain of references. A default next to a reference takes precedence. */
function defaultOf(schema: LocatedSchema, resolve: Contract['resolve']): JsonValue | undefined {
  const seen = new Set<string>()
  let here = schema
  while (isObject(here.schema) && !seen.has(here.pointer)) {
    seen.add(here.pointer)
    const value = member(here.schema, 'default')
    const reference = referenceOf(here.schema)
    if (value !== undefined || reference === undefined) return value
    try {
      here = resolve(reference, here.pointer)
    } catch {
      return undefined // dangling references are reported by checkSchemas
    }
  }
  return undefined
}

function readMethodErrors(
  reader: DocumentReader,
  { pointer, value }: LocatedObject,
  components: readonly DeclaredError[],
): readonly DeclaredError[] {
  const located = reader.objects(arrayMember(value, 'errors'), joinPointer(pointer, 'errors'))
  const inPlace = new Map<number, DeclaredError>()
  const errors = located.map((object) => {
    const component = components.find((error) => error.pointer === object.pointer)
    if (component) return component
    // Errors of one method with the same code count as one error.
    const found = readError(object, '')
    const error = inPlace.get(found.code) ?? found
    inPlace.set(error.code, error)
    return error
  })
  return [...new Set(errors)]
}

function readExample(reader: DocumentReader, { pointer, value }: LocatedObject): ExamplePairing {
  const error = member(value, 'error')
  const result = member(value, 'result')
  const shown = isObject(error) ? reader.object(error, joinPointer(pointer, 'error'))?.value : undefined
  return {
    ...documented(pointer, value),
    name: stringMember(value, 'name') ?? '',
    params: reader.objects(arrayMember(value, 'params'), joinPointer(pointer, 'params')).map(exampleValue),
    result:
      result === undefined
        ? undefined
        : exampleValue(reader.object(result, joinPointer(pointer, 'result')) ?? { pointer, value: {} }),
    error: shown && (member(shown, 'value') ?? shown),
    extensions: extensionMembers(value),
  }
}

function exampleValue({ pointer, value }: LocatedObject) {
  return {
    pointer: joinPointer(pointer, 'value'),
    name: stringMember(value, 'name') ?? '',
    value: member(value, 'value') ?? null,
  }
}

function noteDuplicates(
  reader: DocumentReader,
  named: readonly { readonly name: string; readonly pointer: string }[],
  kind: string,
): void {
  const first = new Map<string, string>()
  for (const { name, pointer } of named) {
    if (name === '') continue // the meta-schema reports missing names
    const other = first.get(name)
    if (other === undefined) first.set(name, pointer)
    else {
      const message = `the ${kind} "${name}" is already declared at ${other}`
      reader.problems.push({ pointer, message, rule: `duplicate-${kind}-name` })
    }
  }
}

/** Reads `components.errors` in the document's order. */
export function readErrors(reader: DocumentReader, components: JsonObject): readonly DeclaredError[] {
  return Object.entries(objectMember(components, 'errors')).flatMap(([key, value]) => {
    const located = reader.object(value, joinPointer('#/components/errors', key))
    return located ? [readError(located, key)] : []
  })
}

/**
 * Reads an error object. An error under `components.errors` is named by its key, regardless of where it is
 * used.
 */
function readError({ pointer, value }: LocatedObject, otherKey: string): DeclaredError {
  const code = member(value, 'code')
  const data = member(value, 'x-data-schema')
  return {
    pointer,
    key: componentKey(pointer, 'errors') ?? otherKey,
    code: typeof code === 'number' ? code : 0,
    message: stringMember(value, 'message') ?? '',
    description: stringMember(value, 'x-description') ?? stringMember(value, 'description'),
    data: isSchema(data) ? { pointer: joinPointer(pointer, 'x-data-schema'), schema: data } : undefined,
    dataRequired: isSchema(data) && member(value, 'x-data-optional') !== true,
    httpStatus: numberMember(value, 'x-http-status'),
    retryAfterSeconds: numberMember(value, 'x-retry-after-seconds'),
  }
}

/** Returns the key of an object under `components`, of the main document or another file; undefined elsewhere. */
function componentKey(pointer: string, kind: 'errors' | 'links'): string | undefined {
  const [components, group, key] = pointerTokens(pointerOf(pointer)) ?? []
  return components === 'components' && group === kind ? key : undefined
}

/** Returns each error once. Equal errors that methods declare inline have one name and count as one. */
export function distinctErrors(errors: readonly DeclaredError[]): readonly DeclaredError[] {
  const seen = new Set<string>()
  return errors.filter(({ pointer, key }) => {
    const identity = componentKey(pointer, 'errors') === undefined ? `inline ${key}` : pointer
    return !seen.has(identity) && seen.add(identity)
  })
}

/** Returns the errors of all components and methods. Unlike `contract.errors`, equal errors are not merged. */
export function errorPlaces({ errors, methods }: Contract): readonly DeclaredError[] {
  const all = [...errors, ...methods.flatMap((method) => method.errors)]
  return [...new Map(all.map((error) => [error.pointer, error])).values()]
}

/** Finds errors with the same name. An inline error may have the same name as a component. */
export function duplicateErrorKeys(errors: readonly DeclaredError[]): readonly ContractProblem[] {
  const first = new Map<string, string>()
  return errors.flatMap(({ key, pointer }) => {
    const known = first.get(key)
    first.set(key, known ?? pointer)
    return known === undefined
      ? []
      : [{ pointer, message: `the name "${key}" is already used at ${known}`, rule: 'duplicate-error-name' }]
  })
}

/** Reads the links of a method object, in the document's order. */
function readLinks(
  reader: DocumentReader,
  { pointer, value }: LocatedObject,
  methodName: string,
): readonly Link[] {
  const located = reader.objects(arrayMember(value, 'links'), joinPointer(pointer, 'links'))
  return located.map((link) => {
    const method = stringMember(link.value, 'method') ?? methodName
    return {
      pointer: link.pointer,
      name: stringMember(link.value, 'name') ?? componentKey(link.pointer, 'links') ?? method,
      summary: stringMember(link.value, 'summary'),
      description: stringMember(link.value, 'description'),
      method,
      params: objectMember(link.value, 'params'),
    }
  })
}

/** Equal errors that methods declare inline. */
interface Group {
  readonly first: DeclaredError
  /** Name made from the message; undefined if the message has no usable words. */
  readonly title: string | undefined
  /** Names after each place: the method and the code. */
  readonly places: string[]
}

/** Most words of a message that become a name. */
const mostWords = 5

/**
 * Names the errors that methods declare inline. Equal errors share one name, made from their
 * message. If another error has this name too, the name is the first method in alphabetical order and the code.
 * @param methods the methods, whose inline errors have empty keys
 * @param components the errors of `components.errors`
 */
function withInlineErrorNames(
  methods: readonly Method[],
  components: readonly DeclaredError[],
): readonly Method[] {
  const groups = groupsOf(methods)
  const names = new Map<string, number>(components.map(({ key }) => [key, 1]))
  for (const { title } of groups.values()) {
    if (title !== undefined) names.set(title, (names.get(title) ?? 0) + 1)
  }
  const keyOf = ({ title, places }: Group) =>
    title !== undefined && names.get(title) === 1 ? title : ([...places].sort()[0] ?? '')
  return methods.map((method) => ({
    ...method,
    errors: method.errors.map((error) => {
      const group = error.key === '' ? groups.get(identity(error)) : undefined
      return group ? { ...error, key: keyOf(group), data: group.first.data } : error
    }),
  }))
}

function groupsOf(methods: readonly Method[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>()
  for (const { name, errors } of methods) {
    for (const error of errors) {
      if (error.key !== '') continue
      const group = groups.get(identity(error)) ?? { first: error, title: titleOf(error), places: [] }
      group.places.push(`${name}_${String(error.code).replace('-', 'minus_')}`)
      groups.set(identity(error), group)
    }
  }
  return groups
}

/** Returns a key that is the same for equal errors. It includes the file, because references are relative to it. */
function identity({ pointer, key, data, ...facts }: DeclaredError): string {
  const schema = data && [documentOf(data.pointer), data.schema]
  return JSON.stringify([facts, schema])
}

/** Makes a name from the words before the first punctuation mark: `Invalid params: …` becomes `invalidParams`. */
function titleOf({ message }: DeclaredError): string | undefined {
  const [clause = ''] = message.split(/[.:;,!?(){}]/)
  const [first, ...others] = clause
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, mostWords)
  if (first === undefined || !/^\p{L}/u.test(first)) return undefined
  const isAcronym = first === first.toUpperCase()
  const start = isAcronym ? first.toLowerCase() : first.replace(/^./u, (letter) => letter.toLowerCase())
  return start + others.map((word) => word.replace(/^./u, (letter) => letter.toUpperCase())).join('')
}
