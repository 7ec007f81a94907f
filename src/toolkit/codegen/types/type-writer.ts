import type { Contract, LocatedSchema, Schema } from '../../contract/index.js'
import { indentRest } from '../text.js'

/** A schema that is written inline and has a name. */
export interface InlineSchema {
  readonly schema: Schema
  /** The equal schema that the type of this name is declared from. */
  readonly declared: LocatedSchema
}

/** Names beside those of schemas. */
type OtherNames = Pick<TypeNames, 'inline' | 'params' | 'aliases' | 'exported'>

/** TypeScript names of schemas, keyed by JSON pointer. Equal inline schemas share one name. */
export class TypeNames extends Map<string, string> {
  /** The schemas among them that are written inline, by pointer. */
  readonly inline: ReadonlyMap<string, InlineSchema>
  /** The types of the parameters of methods, by the name of the method. */
  readonly params: ReadonlyMap<string, string>
  /** The names of places whose schema is equal to one with another name, and that name. */
  readonly aliases: ReadonlyMap<string, string>
  /** The names under which types.ts exports the types that have another name in this file, by the latter. */
  readonly exported: ReadonlyMap<string, string>

  constructor(names: Iterable<readonly [string, string]>, others: Partial<OtherNames> = {}) {
    super(names)
    this.inline = others.inline ?? new Map()
    this.params = others.params ?? new Map()
    this.aliases = others.aliases ?? new Map()
    this.exported = others.exported ?? new Map()
  }

  /** Returns each name once. */
  all(): ReadonlySet<string> {
    return new Set([...this.values(), ...this.params.values(), ...this.aliases.keys()])
  }

  /** Returns what a file imports from types.ts to use a name: `Client as Client_`. */
  imported(name: string): string {
    const exported = this.exported.get(name)
    return exported === undefined ? name : `${exported} as ${name}`
  }

  /** Returns the same schemas with names of a file or of a project. */
  renamed(rename: (name: string) => string): TypeNames {
    const renamed = (names: ReadonlyMap<string, string>) =>
      new Map([...names].map(([key, name]) => [key, rename(name)] as const))
    const aliases = new Map([...this.aliases].map(([alias, name]) => [rename(alias), rename(name)] as const))
    return new TypeNames(renamed(this), { inline: this.inline, params: renamed(this.params), aliases })
  }
}

/** The state of writing types: names of schemas, and the names that the file must import. */
export interface TypeWriter {
  readonly contract: Contract
  readonly names: TypeNames
  /** The distinct names, and those of the types of JSON. */
  readonly known: ReadonlySet<string>
  /** Names that the file uses: components and other named schemas, `JsonValue`, `JsonObject`. */
  readonly used: Set<string>
  /** True for clients with decoded values: quantities have the type that `x-decode` states. */
  readonly isDecoded: boolean
}

/** Types of the runtime that generated types use. */
export const jsonTypes: ReadonlySet<string> = new Set(['JsonObject', 'JsonValue'])

/** Creates the type writer of one file. */
export function createTypeWriter(contract: Contract, names: TypeNames, isDecoded = false): TypeWriter {
  const known = new Set([...jsonTypes, ...names.values()])
  return { contract, names, known, used: new Set(), isDecoded }
}

/** The text of a type and how tightly it binds, which decides where parentheses are needed. */
export interface TypeText {
  readonly text: string
  readonly binds: 'tight' | 'intersection' | 'union'
  /** The members of a union, for output with one member per line. */
  readonly members?: readonly string[]
}

/** Returns a type that never needs parentheses. */
export function tight(text: string): TypeText {
  return { text, binds: 'tight' }
}

/** The type of any JSON value. */
export const anyJson = tight('JsonValue')

/** The type without values. */
export const never = tight('never')

/** Returns a union without duplicates. A union with `JsonValue` is `JsonValue`. */
export function union(types: readonly TypeText[]): TypeText {
  const flat = types.flatMap((type) => type.members?.map(unionMember) ?? type)
  const texts = unique(flat.filter(({ text }) => text !== 'never'))
  if (texts.some(({ text }) => text === anyJson.text)) return anyJson
  const [first, ...others] = texts
  if (!first) return never
  if (others.length === 0) return first
  const isCompleted = texts.some(hasLiterals)
  const parts = texts.map((type) => {
    if (isCompleted && type.text === 'string') return anyString.text
    return type.binds === 'intersection' ? `(${type.text})` : type.text
  })
  return { text: parts.join(' | '), binds: 'union', members: parts }
}

/** Returns true if a type is a string literal, or a union with one. */
export function hasLiterals({ text, members = [text] }: TypeText): boolean {
  return members.some((one) => /^['"]/.test(one))
}

/** Any string, in a union with literals. Editors would not complete the literals beside `string`. */
const anyString = tight('(string & {})')

/** Returns what follows `=` or `:` in a declaration. A union that is long goes on lines of its own. */
export function declared({ text, members }: TypeText, width: number): string {
  if (members === undefined || (text.length <= width && !text.includes('\n'))) return ` ${text}`
  return members.map((member) => `\n  | ${indentRest(indentRest(member))}`).join('')
}

/** Returns a type as a union member. The text already has its parentheses. */
function unionMember(text: string): TypeText {
  return tight(text)
}

/** Returns an intersection. `JsonValue` is dropped. */
export function intersection(types: readonly TypeText[]): TypeText {
  const texts = unique(types.filter(({ text }) => text !== anyJson.text))
  const [first, ...others] = texts
  if (!first) return anyJson
  if (others.length === 0) return first
  if (texts.some(({ text }) => text === 'never')) return never
  return { text: texts.map(bracketed).join(' & '), binds: 'intersection' }
}

/** Returns an array type. */
export function arrayOf(item: TypeText): TypeText {
  return tight(`readonly ${bracketed(item)}[]`)
}

/** Returns a type in parentheses if it binds less tightly than its context. */
export function bracketed({ text, binds }: TypeText): string {
  const isList = text.startsWith('readonly ')
  return binds === 'tight' && !isList ? text : `(${text})`
}

function unique(types: readonly TypeText[]): readonly TypeText[] {
  const seen = new Set<string>()
  return types.filter(({ text }) => !seen.has(text) && seen.add(text))
}

/** Properties of the enclosing schemas. A branch can require them without declaring them. */
export type Properties = ReadonlyMap<string, LocatedSchema>

/** Writes the type of a schema, or the name of a schema that has one. */
export type WriteType = (located: LocatedSchema, enclosing?: Properties) => TypeText

/** Returns the members of an object type in braces, on one line if they are short. */
export function braces(lines: readonly string[]): string {
  const line = `{ ${lines.join('; ')} }`
  if (line.length <= 76 && !line.includes('\n')) return line
  return block(lines)
}

/** Returns the members of an object type in braces, each on a line. */
export function block(lines: readonly string[]): string {
  return `{\n${lines.map((text) => `  ${indentRest(text)}\n`).join('')}}`
}
