import {
  arrayMember,
  extensionMembers,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringMember,
} from '../json.js'
import { joinPointer } from '../json-pointer.js'
import type { DocumentReader, LocatedObject } from '../load/document-reader.js'
import type { ContentDescriptor, Contract, DeclaredError, ExamplePairing, Method, Param } from './contract.js'
import { withInlineErrorNames } from './inline-errors.js'
import { readError } from './read-errors.js'
import { readLinks } from './read-links.js'
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
