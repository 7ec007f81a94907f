/** The subset of JSON Schema (2020-12) that describes settings, with annotations of this project. */
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
  /** The value may contain a secret, so problems never repeat it. */
  readonly writeOnly?: boolean
  /** The unit of a number. */
  readonly 'x-unit'?: string
  /** Name of the environment variable, or the prefix of its members' variables; `variableOf` has the rule. */
  readonly 'x-variable'?: string
  /** The member that gets a text that replaces the object. */
  readonly 'x-text'?: string
  /** The word for an empty list. */
  readonly 'x-none'?: string
  /** True for a setting, or a group, whose changes apply when the file is read again. All others need a restart. */
  readonly 'x-reload'?: true
  /** The value in `deploy/concordat.yaml` if it is neither the default nor the first example. */
  readonly 'x-sample'?: unknown
  /** True if the setting is needed for a short time only: a comment in `deploy/concordat.yaml`. */
  readonly 'x-temporary'?: true
}

/** The form of a variable in the texts of a file. */
export const fromVariable = (name: string): string => `\${${name}}`

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

/** Names of members that are always present, because they are required or have a default. */
type Present<P, Required> = { [K in keyof P]: P[K] extends { default: unknown } ? K : K & Required }[keyof P]

type MembersOf<P, Required> = { readonly [K in keyof P & Present<P, Required>]: ValueOf<P[K]> } & {
  readonly [K in Exclude<keyof P, Present<P, Required>>]?: ValueOf<P[K]> | undefined
}
