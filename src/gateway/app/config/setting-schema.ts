/** A bound that the contract states: a limit of `x-limits`, times a number where units differ. */
export interface ContractBound {
  readonly limit: 'bodyBytes' | 'logsHeldBytes' | 'nodeTimeoutSeconds' | 'requestsPerUserPerDay'
  readonly times?: number
}

/** The part of JSON Schema (2020-12) that settings are described with, and our own annotations. */
export interface SettingSchema {
  readonly $schema?: string
  readonly title?: string
  readonly description: string
  readonly type: 'array' | 'integer' | 'number' | 'object' | 'string'
  readonly properties?: Readonly<Record<string, SettingSchema>>
  readonly required?: readonly string[]
  readonly propertyNames?: { readonly format: string }
  readonly additionalProperties?: false | SettingSchema
  readonly items?: SettingSchema
  readonly minItems?: number
  readonly enum?: readonly string[]
  readonly format?: string
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  /** Its value may hold a secret: a problem never repeats it. */
  readonly writeOnly?: boolean
  /** The unit of a number. */
  readonly 'x-unit'?: string
  /** Its name in the environment, or the beginning of its members' names; see `variableOf` for the rule. */
  readonly 'x-variable'?: string
  /** The least value, from the contract. */
  readonly 'x-minimum'?: ContractBound
  /** The greatest value, and the default where the unit is the same, from the contract. */
  readonly 'x-maximum'?: ContractBound
  /** A text in place of the object is this member of it. */
  readonly 'x-text'?: string
  /** This word in place of the list says that there is none. */
  readonly 'x-none'?: string
}

/** The value of a setting with a schema; members without a default may be absent. */
export type ValueOf<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly type: 'string' }
    ? string
    : S extends { readonly type: 'integer' | 'number' }
      ? number
      : S extends { readonly items: infer I }
        ? readonly ValueOf<I>[]
        : (S extends { readonly properties: infer P }
            ? MembersOf<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
            : unknown) &
            (S extends { readonly additionalProperties: infer V extends SettingSchema }
              ? Readonly<Record<string, ValueOf<V>>>
              : unknown)

/** Names of members that are always there: those that are required, and those with a default. */
type Present<P, Required> = { [K in keyof P]: P[K] extends { default: unknown } ? K : K & Required }[keyof P]

type MembersOf<P, Required> = { readonly [K in keyof P & Present<P, Required>]: ValueOf<P[K]> } & {
  readonly [K in Exclude<keyof P, Present<P, Required>>]?: ValueOf<P[K]> | undefined
}
