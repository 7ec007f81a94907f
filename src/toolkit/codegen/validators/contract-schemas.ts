import {
  type Contract,
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  namesInheritedMembers,
  pointerTokens,
  schemaSet,
  usesUnevaluated,
} from '../../contract/index.js'
import { labelName } from '../types/identifiers.js'
import type { FunctionKind } from './function-text.js'

/** All schemas that the validators of a contract need. */
export interface ContractSchemas {
  /** The schemas, by the text of references to them. */
  readonly schemas: ReadonlyMap<string, JsonValue>
  /** Returns an identifier for a schema: the key of its component, or the names of a method and a parameter. */
  readonly nameOf: (reference: string) => string
  readonly referenceOf: (schema: LocatedSchema) => string
  /** Returns how ajv must compile schemas and all that they lead to. */
  readonly traits: (schemas: readonly LocatedSchema[]) => Pick<FunctionKind, 'unevaluated' | 'ownProperties'>
  /** Returns true if a value can have several errors, because a schema describes an object or a list. */
  readonly hasInside: (schema: LocatedSchema) => boolean
}

/** Collects the schemas of parameters, results and error data, and those that they refer to. */
export function contractSchemas(contract: Contract): ContractSchemas {
  const named = [
    ...contract.methods.flatMap(({ name, params, result }) => [
      ...params.map((param) => [param.schema, `${name}_${param.name}`] as const),
      ...(result ? [[result.schema, `${name}_result`] as const] : []),
    ]),
    ...contract.errors.map(
      ({ key, pointer, data = { pointer, schema: false } }) => [data, `${key}_data`] as const,
    ),
  ]
  const { definitions, roots } = schemaSet(
    contract,
    named.map(([schema]) => schema),
  )
  const references = new Map(named.map(([{ pointer }], at) => [pointer, roots[at] ?? '']))
  const names = new Map(named.map(([, name], at) => [roots[at] ?? '', name] as const).reverse())
  const schemas = new Map([...definitions].map(([reference, { schema }]) => [reference, schema]))
  const targets = new Map([...schemas].map(([reference, schema]) => [reference, referencesIn(schema)]))
  const facts = {
    unevaluated: listed(schemas, usesUnevaluated),
    ownProperties: listed(schemas, namesInheritedMembers),
    inside: listed(schemas, hasInside),
  }
  const referenceOf = ({ pointer }: LocatedSchema) => references.get(pointer) ?? ''
  const leadsTo = (located: LocatedSchema, wanted: ReadonlySet<string>) => {
    const seen = new Set([referenceOf(located)])
    for (const reference of seen) {
      if (wanted.has(reference)) return true
      for (const next of targets.get(reference) ?? []) seen.add(next)
    }
    return false
  }
  return {
    schemas,
    referenceOf,
    nameOf: (reference) =>
      labelName(names.get(reference) ?? keyOf(definitions.get(reference)?.pointer ?? '') ?? 'schema'),
    traits: (given) => ({
      unevaluated: given.some((schema) => leadsTo(schema, facts.unevaluated)),
      ownProperties: given.some((schema) => leadsTo(schema, facts.ownProperties)),
    }),
    hasInside: (schema) => leadsTo(schema, facts.inside),
  }
}

/** Returns the last word of a pointer that names something. */
function keyOf(pointer: string): string | undefined {
  return pointerTokens(pointer.slice(pointer.indexOf('#')))?.findLast(
    (token) => token !== 'schema' && !/^\d+$/.test(token),
  )
}

function listed(
  schemas: ReadonlyMap<string, JsonValue>,
  holds: (schema: JsonValue) => boolean,
): ReadonlySet<string> {
  return new Set([...schemas].flatMap(([reference, schema]) => (holds(schema) ? [reference] : [])))
}

function referencesIn(schema: JsonValue): readonly string[] {
  if (isArray(schema)) return schema.flatMap(referencesIn)
  if (!isObject(schema)) return []
  return Object.entries(schema).flatMap(([name, value = null]) =>
    name === '$ref' && typeof value === 'string' ? [value] : referencesIn(value),
  )
}

function hasInside(schema: JsonValue): boolean {
  if (isArray(schema)) return schema.some(hasInside)
  if (!isObject(schema)) return false
  const inside = ['properties', 'patternProperties', 'additionalProperties', 'items', 'required']
  return Object.entries(schema).some(([name, value]) => inside.includes(name) || hasInside(value ?? null))
}
