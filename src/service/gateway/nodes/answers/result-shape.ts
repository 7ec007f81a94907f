import type { JsonValue } from '@concordat/rpc'
import type { NodePurpose } from '../../profiles/index.js'
import { readContractText } from '../../util/index.js'

/** The form of a string (`x-form` of a schema). */
export type Form = 'quantity' | 'safeQuantity' | 'data' | 'word' | 'text'

/** The shape of a value in a result, from the contract's schemas. */
export interface Shape {
  /** The JSON types that the value may have; empty where the schema does not say. */
  readonly types: ReadonlySet<string>
  readonly form: Form | undefined
  /** The entries of a list. */
  readonly items: Shape | undefined
  /** The object, where the contract lists its members. */
  readonly object: ObjectShape | undefined
}

/** The shape of an object in a result, from the contract's schemas. */
export interface ObjectShape {
  /** The key of the innermost component schema that describes the object; `result` without one. */
  readonly name: string
  /** The keys of the component schemas that describe the object. */
  readonly components: ReadonlySet<string>
  readonly members: ReadonlyMap<string, Shape>
  /** The members that a node must send: the required members, except those that the service adds. */
  readonly required: readonly string[]
  /** Members that a node may leave out, with their constant values then. */
  readonly constants: readonly { readonly name: string; readonly constant: JsonValue }[]
  /** Members that a node may leave out, with the calls that find them then. */
  readonly lookups: readonly (Lookup & { readonly name: string })[]
  /** Members that the service joins from other members. */
  readonly joined: readonly (Joined & { readonly name: string })[]
  /**
   * The members that are null in a pending object. A null in the first of these members marks the object as
   * pending.
   */
  readonly nullWhenPending: readonly string[]
}

/** A call that finds a member (`x-omitted`). */
interface Lookup {
  /** The purpose of the call (`x-node-calls`). */
  readonly call: NodePurpose
  /** The values of the call, as JSON pointers to members of the object. */
  readonly values: { readonly [name: string]: string }
  /** The member of the result. */
  readonly member: string
}

/** A joined text (`x-joined`): the members, and the replacement of each member that is null. */
interface Joined {
  readonly with: string
  readonly of: readonly {
    readonly member: string
    /** A constant, or a JSON pointer to a parameter of the call. */
    readonly or: { readonly constant: string } | { readonly param: string }
  }[]
}

/** The keywords that are read (JSON Schema draft 7), and the extensions of this contract. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly 'x-form'?: Form
  readonly 'x-omitted'?: { readonly constant: JsonValue } | { readonly from: Lookup }
  readonly 'x-joined'?: Joined
  readonly 'x-null-when-pending'?: boolean
}

/** The parts of a contract that are read. */
export interface Document {
  readonly methods: readonly {
    readonly name: string
    readonly params: readonly { readonly name: string }[]
    readonly result: { readonly schema: Schema }
  }[]
  readonly components: { readonly schemas: { readonly [key: string]: Schema } }
}

/** The result of a method. */
export interface ResultShape {
  readonly shape: Shape
  /** The names of the method's parameters. */
  readonly params: readonly string[]
}

/**
 * Reads the shapes of all results from the schemas of a contract.
 * @returns by the name of the method
 */
export function readResultShapes({ methods, components }: Document): ReadonlyMap<string, ResultShape> {
  const reader = new ShapeReader(components.schemas)
  return new Map(
    methods.map(({ name, params, result }) => [
      name,
      {
        shape: reader.read([{ schema: result.schema, within: [] }]),
        params: params.map((param) => param.name),
      },
    ]),
  )
}

/** A schema among those that describe a value. */
interface Part {
  readonly schema: Schema
  /** The keys of the component schemas around it. */
  readonly within: readonly string[]
  /** The key of the schema, when it is a component. */
  readonly key?: string
  /** True when the value may match another schema instead. */
  readonly isAlternative?: boolean | undefined
}

const reference = '#/components/schemas/'

class ShapeReader {
  constructor(readonly schemas: Document['components']['schemas']) {}

  /** Combines several schemas of one value. */
  read(described: readonly Part[]): Shape {
    const parts = described.flatMap((part) => this.#parts(part))
    const items = parts.flatMap(({ schema: { items: schema }, within }) =>
      schema === undefined ? [] : [{ schema, within }],
    )
    return {
      types: new Set(parts.flatMap(({ schema: { type = [] } }) => type)),
      form: parts.find(({ schema }) => schema['x-form'] !== undefined)?.schema['x-form'],
      items: items.length === 0 ? undefined : this.read(items),
      object: this.#object(parts),
    }
  }

  /** A schema with its references and compositions. Recursive schemas are not followed. */
  #parts(part: Part): readonly Part[] {
    const { schema, within, isAlternative } = part
    const { $ref, allOf = [], anyOf = [], oneOf = [] } = schema
    const key = $ref?.slice(reference.length) ?? ''
    const referred = within.includes(key) ? undefined : this.schemas[key]
    const alternatives = [...anyOf, ...oneOf].filter(({ type }) => type !== 'null')
    return [
      part,
      ...(referred ? this.#parts({ schema: referred, within: [...within, key], key, isAlternative }) : []),
      ...allOf.flatMap((inner) => this.#parts({ schema: inner, within, isAlternative })),
      ...alternatives.flatMap((inner) =>
        this.#parts({ schema: inner, within, isAlternative: isAlternative || alternatives.length > 1 }),
      ),
      ...(alternatives.length < anyOf.length + oneOf.length ? [{ schema: { type: 'null' }, within }] : []),
    ]
  }

  /** The object that the parts describe; undefined where it may have members of any name. */
  #object(parts: readonly Part[]): ObjectShape | undefined {
    const described = new Map<string, Part[]>()
    for (const { schema, within } of parts) {
      if ((schema.additionalProperties ?? false) !== false) return undefined
      for (const [name, inner] of Object.entries(schema.properties ?? {}))
        described.set(name, [...(described.get(name) ?? []), { schema: inner, within }])
    }
    if (described.size === 0) return undefined
    const required = parts.flatMap(({ schema, isAlternative }) =>
      isAlternative ? [] : (schema.required ?? []),
    )
    const added = addedMembers(described)
    const isAdded = (name: string) =>
      [...added.constants, ...added.lookups, ...added.joined].some((member) => member.name === name)
    const components = new Set(parts.flatMap(({ key }) => key ?? []))
    return {
      name: [...components].at(-1) ?? 'result',
      components,
      members: new Map([...described].map(([name, inner]) => [name, this.read(inner)])),
      required: [...new Set(required)].filter((name) => !isAdded(name)),
      ...added,
    }
  }
}

/** The members that the service adds to an object or sets to null. */
function addedMembers(described: ReadonlyMap<string, readonly Part[]>) {
  const members = [...described].flatMap(([name, parts]) => parts.map(({ schema }) => ({ name, schema })))
  const omitted = members.flatMap(({ name, schema: { 'x-omitted': replacement } }) =>
    replacement === undefined ? [] : [{ name, ...replacement }],
  )
  return {
    constants: omitted.flatMap((member) => ('constant' in member ? [member] : [])),
    lookups: omitted.flatMap((member) => ('from' in member ? [{ name: member.name, ...member.from }] : [])),
    joined: members.flatMap(({ name, schema: { 'x-joined': joined } }) =>
      joined === undefined ? [] : [{ name, ...joined }],
    ),
    nullWhenPending: members.flatMap(({ name, schema }) => (schema['x-null-when-pending'] ? [name] : [])),
  }
}

const contract: Document = JSON.parse(String(await readContractText()))

/** The results of the methods of `openrpc.json`, by method name. */
export const resultShapes = readResultShapes(contract)

/**
 * Reads a component schema of `openrpc.json`.
 * @param key such as `Log`
 */
export const componentShape = (key: string): Shape =>
  new ShapeReader(contract.components.schemas).read([{ schema: { $ref: `${reference}${key}` }, within: [] }])
