import { readPackageFile } from '../../util/package-file.js'

/** How a parameter is typed in: a line of text, a choice of true and false, or JSON. */
export type FieldKind = 'text' | 'boolean' | 'json'

/** A member of an object that is sent. */
export interface ConsoleMember {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** A parameter, as the contract describes it. */
export interface ConsoleParam {
  readonly name: string
  readonly description: string
  /** What its schema says of values. */
  readonly form: string
  readonly required: boolean
  /** What stands in for it where it is left out, as it is typed in. */
  readonly fallback: string | undefined
  readonly kind: FieldKind
  /** Texts that it may be, beside others. */
  readonly choices: readonly string[]
  readonly members: readonly ConsoleMember[]
}

/** An example of the contract. */
export interface ConsoleExample {
  readonly name: string
  readonly description: string
  /** The network of the example; undefined for an example of every network. */
  readonly network: string | undefined
  /** The parameters as they are typed in; empty for those that are left out. */
  readonly texts: readonly string[]
  /** The code of the error that it shows. */
  readonly errorCode: number | undefined
}

/** A method, as the contract describes it. */
export interface ConsoleMethod {
  readonly name: string
  readonly summary: string
  readonly description: string
  /** The contract's tag. */
  readonly group: string
  /** True where a call changes the chain. */
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
    readonly examples: readonly Example[]
  }[]
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly tags: Readonly<Record<string, { readonly name: string }>>
  }
}

/** Reads from the contract what people need to try a method, in the order of its tags. */
export async function readConsoleMethods(): Promise<readonly ConsoleMethod[]> {
  const { methods, components } = JSON.parse(String(await readPackageFile('openrpc.json'))) as Document
  const groups = Object.values(components.tags).map(({ name }) => name)
  const read = methods.map((method): ConsoleMethod => {
    const { name, summary, description, tags } = method
    const params = method.params.map((param) => readParam(param, components.schemas))
    const group = components.tags[lastOf(tags[0]?.$ref ?? '')]?.name ?? ''
    return {
      ...{ name, summary, description, group, params },
      writes: method['x-effect'] === 'write',
      examples: method.examples.flatMap((example) => readExample(example, params)),
    }
  })
  return read.toSorted((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group))
}

/** Where the contract's words come from is told in its reference. */
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
  const only = types.size === 1 ? [...types][0] : undefined
  const kind = only === 'string' ? 'text' : only === 'boolean' ? 'boolean' : 'json'
  const described = partsOf(schema, all).find((part) => part.description !== undefined)?.description ?? ''
  const form = described.replace(chapter, '')
  const fallback = schema.default === undefined ? undefined : textOf(kind, schema.default)
  return { name, description, form, required, fallback, kind, choices, members }
}

type Schemas = Document['components']['schemas']

/** A schema and those that it is made of, references followed. */
function partsOf(schema: Schema, all: Schemas): readonly Schema[] {
  const { $ref, anyOf = [], allOf = [] } = schema
  const named = $ref === undefined ? undefined : all[lastOf($ref)]
  return [schema, ...[...(named ? [named] : []), ...anyOf, ...allOf].flatMap((part) => partsOf(part, all))]
}

/** Left out where a field cannot hold what it shows, such as a parameter that the method lacks. */
function readExample(example: Example, params: readonly ConsoleParam[]): readonly ConsoleExample[] {
  const { name, description = '', params: given, error } = example
  const texts = given.map(({ value }, place) => {
    const kind = params[place]?.kind
    return kind === undefined ? undefined : textOf(kind, value)
  })
  if (!texts.every((text) => text !== undefined)) return []
  return [{ name, description, network: example['x-network'], texts, errorCode: error?.value.code }]
}

/** A value as it is typed in; undefined where it cannot be. */
function textOf(kind: FieldKind, value: unknown): string | undefined {
  if (kind === 'json') return JSON.stringify(value, null, 2)
  if (typeof value === (kind === 'text' ? 'string' : 'boolean')) return String(value)
  return undefined
}
