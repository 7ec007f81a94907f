import type { Contract, LocatedSchema, Schema } from '../../contract/index.js'

/** A schema that is written inline and has a name. */
export interface InlineSchema {
  readonly schema: Schema
  /** The equal schema that the type of this name is declared from. */
  readonly declared: LocatedSchema
}

/** Names beside those of schemas. */
type OtherNames = Pick<TypeNames, 'inline' | 'params' | 'aliases'>

/** TypeScript names of schemas, keyed by JSON pointer. Equal inline schemas share one name. */
export class TypeNames extends Map<string, string> {
  /** The schemas among them that are written inline, by pointer. */
  readonly inline: ReadonlyMap<string, InlineSchema>
  /** The types of the parameters of methods, by the name of the method. */
  readonly params: ReadonlyMap<string, string>
  /** The names of places whose schema is equal to one with another name, and that name. */
  readonly aliases: ReadonlyMap<string, string>

  constructor(names: Iterable<readonly [string, string]>, others: Partial<OtherNames> = {}) {
    super(names)
    this.inline = others.inline ?? new Map()
    this.params = others.params ?? new Map()
    this.aliases = others.aliases ?? new Map()
  }

  /** Returns each name once. */
  all(): ReadonlySet<string> {
    return new Set([...this.values(), ...this.params.values(), ...this.aliases.keys()])
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
