import { readContractText } from '../../util/index.js'

/** Kind of a parameter's input field: text line, choice of true and false, or JSON. A text line also takes an object. */
export type FieldKind = 'text' | 'boolean' | 'json'

/** A member of an object parameter. */
export interface ConsoleMember {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** A parameter, as the contract describes it. */
export interface ConsoleParam {
  readonly name: string
  readonly description: string
  /** Description of the schema. */
  readonly form: string
  readonly required: boolean
  /** Default value, as field text. */
  readonly fallback: string | undefined
  readonly kind: FieldKind
  /** Suggested values. Other values may be valid, too. */
  readonly choices: readonly string[]
  readonly members: readonly ConsoleMember[]
}

/** An example of the contract. */
export interface ConsoleExample {
  readonly name: string
  readonly description: string
  /** The network of the example; undefined for an example of every network. */
  readonly network: string | undefined
  /** Field texts of the parameters; empty for omitted parameters. */
  readonly texts: readonly string[]
  /** Error code, if the example shows an error. */
  readonly errorCode: number | undefined
}

/** A method, as the contract describes it. */
export interface ConsoleMethod {
  readonly name: string
  readonly summary: string
  readonly description: string
  /** The contract's tag. */
  readonly group: string
  /** True if a call changes the chain. */
  readonly writes: boolean
  readonly params: readonly ConsoleParam[]
  readonly examples: readonly ConsoleExample[]
}

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

interface Param {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Example {
  readonly name: string
  readonly description?: string
  readonly params: readonly { readonly value: unknown }[]
  readonly error?: { readonly value: { readonly code: number } }
  readonly 'x-network'?: string
}

interface Document {
  readonly methods: readonly {
    readonly name: string
    readonly summary: string
    readonly description: string
    readonly tags: readonly { readonly $ref: string }[]
    readonly 'x-effect': 'read' | 'write'
    readonly params: readonly Param[]
    readonly examples: readonly (Example | { readonly $ref: string })[]
  }[]
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly examplePairings?: Readonly<Record<string, Example>>
    readonly tags: Readonly<Record<string, { readonly name: string }>>
  }
}

/** Reads the methods of the contract for the console, in the order of the contract's tags. */
export async function readConsoleMethods(): Promise<readonly ConsoleMethod[]> {
  const { methods, components } = JSON.parse(String(await readContractText())) as Document
  const groups = Object.values(components.tags).map(({ name }) => name)
  const shared = components.examplePairings ?? {}
  const read = methods.map((method): ConsoleMethod => {
    const { name, summary, description, tags } = method
    const params = method.params.map((param) => readParam(param, components.schemas))
    const group = components.tags[lastOf(tags[0]?.$ref ?? '')]?.name ?? ''
    return {
      ...{ name, summary, description, group, params },
      writes: method['x-effect'] === 'write',
      examples: method.examples
        .flatMap((example) => ('$ref' in example ? (shared[lastOf(example.$ref)] ?? []) : example))
        .flatMap((example) => readExample(example, params)),
    }
  })
  return read.toSorted((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group))
}

/** References to the specification, which the console leaves out. */
const chapter = / Specification [\d.]+$/

const lastOf = (reference: string) => reference.split('/').at(-1) ?? ''

function readParam({ name, description = '', required = false, schema }: Param, all: Schemas): ConsoleParam {
  const types = new Set<string>()
  const choices: string[] = []
  const members: ConsoleMember[] = []
  for (const part of partsOf(schema, all)) {
    if (part.type !== undefined) types.add(part.type)
    for (const value of part.enum ?? []) if (typeof value === 'string') choices.push(value)
    for (const [member, of] of Object.entries(part.properties ?? {}))
      members.push({
        name: member,
        description: of.description ?? '',
        required: part.required?.includes(member) ?? false,
      })
  }
  const kind = kindOf(types)
  const described = partsOf(schema, all).find((part) => part.description !== undefined)?.description ?? ''
  const form = described.replace(chapter, '')
  const fallback = schema.default === undefined ? undefined : textOf(kind, schema.default)
  return {
    ...{ name, description, form, required, fallback, kind, choices },
    members: kind === 'json' ? members : [],
  }
}

/** A value that may be a string is written without quotes, such as a block tag, also beside objects. */
function kindOf(types: ReadonlySet<string>): FieldKind {
  const [first, ...others] = types
  if (first === 'boolean' && others.length === 0) return 'boolean'
  const isText = types.has('string') && [...types].every((type) => type === 'string' || type === 'object')
  return isText ? 'text' : 'json'
}

type Schemas = Document['components']['schemas']

/** Returns a schema and its subschemas of `anyOf` and `allOf`, with references resolved. */
function partsOf(schema: Schema, all: Schemas): readonly Schema[] {
  const { $ref, anyOf = [], allOf = [] } = schema
  const named = $ref === undefined ? undefined : all[lastOf($ref)]
  return [schema, ...[...(named ? [named] : []), ...anyOf, ...allOf].flatMap((part) => partsOf(part, all))]
}

/** Reads an example. Examples with values that do not fit the input fields are omitted. */
function readExample(example: Example, params: readonly ConsoleParam[]): readonly ConsoleExample[] {
  const { name, description = '', params: given, error } = example
  const texts = given.map(({ value }, place) => {
    const kind = params[place]?.kind
    return kind === undefined ? undefined : textOf(kind, value)
  })
  if (!texts.every((text) => text !== undefined)) return []
  return [{ name, description, network: example['x-network'], texts, errorCode: error?.value.code }]
}

/**
 * Converts the parameters of a call to field texts.
 * @param sent JSON, a list
 * @returns undefined if the fields cannot hold them
 */
export function textsOf({ params }: ConsoleMethod, sent: string): readonly string[] | undefined {
  try {
    const values: unknown = JSON.parse(sent)
    if (!Array.isArray(values) || values.length > params.length) return undefined
    const texts = values.map((value, place) => textOf(params[place]?.kind ?? 'json', value))
    return texts.every((text) => text !== undefined) ? texts : undefined
  } catch {
    return undefined
  }
}

/** Converts a value to field text; undefined if the kind of field cannot hold it. */
function textOf(kind: FieldKind, value: unknown): string | undefined {
  if (kind === 'json') return JSON.stringify(value, null, 2)
  if (typeof value === (kind === 'text' ? 'string' : 'boolean')) return String(value)
  return kind === 'text' && typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined
}
