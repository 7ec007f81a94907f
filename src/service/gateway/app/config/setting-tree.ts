import { networkNames } from '../../profiles/index.js'
import type { SettingSchema } from './setting-schema.js'
import { settingsSchema } from './settings-schema.js'

/** A setting with an environment variable: a scalar or a list. */
export interface Setting {
  /** Its name in the file, by parts: `limits`, `connections`. */
  readonly path: readonly string[]
  /** Its name in the environment. */
  readonly variable: string
  readonly schema: SettingSchema
}

/** A mapping of the file. */
export type Tree = Record<string, unknown>

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the name of a variable: `CONCORDAT` and the parts of the setting's name in upper case, joined by underscores.
 * `x-variable` replaces the prefix.
 */
function variableOf(parent: string, name: string, schema: SettingSchema): string {
  return schema['x-variable'] ?? `${parent}_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** The members of a group of settings. A group by network has one member for each network. */
export function membersOf(schema: SettingSchema): readonly (readonly [string, SettingSchema])[] {
  const { properties = {}, additionalProperties } = schema
  const ofNetworks = schema.propertyNames?.format.startsWith('network') && additionalProperties
  const named = ofNetworks ? networkNames.map((network) => [network, ofNetworks] as const) : []
  return [...named, ...Object.entries(properties)]
}

function settingsIn(schema: SettingSchema, path: readonly string[], parent: string): readonly Setting[] {
  return membersOf(schema).flatMap(([name, member]) => {
    const variable = variableOf(parent, name, member)
    const at = [...path, name]
    return member.type === 'object'
      ? settingsIn(member, at, variable)
      : [{ path: at, variable, schema: member }]
  })
}

/** Every setting, in the order of the schema. */
export const allSettings: readonly Setting[] = settingsIn(settingsSchema, [], 'CONCORDAT')

/** The settings and groups that change when the file is read again. */
export type ReloadableName = {
  [Name in keyof Properties]: Properties[Name] extends { readonly 'x-reload': true } ? Name : never
}[keyof Properties]

type Properties = (typeof settingsSchema)['properties']

/** Says which settings change when the file is read again, with each name in the notation of the place. */
export function reloadableHelp(notation: (name: string) => string = (name) => name): string {
  const properties: readonly [string, SettingSchema][] = Object.entries(settingsSchema.properties)
  const names = properties.flatMap(([name, schema]) => (schema['x-reload'] ? [notation(name)] : []))
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)} change immediately, the others at a restart`
}

/** Lists the environment variables for help texts, one on each line, without those of `tuning`. */
export function variablesHelp(): string {
  const listed = allSettings.filter(({ path }) => path[0] !== 'tuning')
  const width = Math.max(...listed.map(({ variable }) => variable.length))
  const lines = listed.map(({ variable, schema: { description = '', default: usual } }) => {
    const [sentence = ''] = description.split(/\.(?: |$)/)
    const isShown = usual !== undefined && !Array.isArray(usual)
    return `  ${variable.padEnd(width)}  ${sentence}${isShown ? ` (default ${usual})` : ''}`
  })
  return lines.join('\n')
}

/** Returns the schema of the setting at a JSON pointer, and whether a problem may show its value. */
export function schemaAt(pointer: string): { readonly schema: SettingSchema; readonly isSecret: boolean } {
  let schema: SettingSchema = settingsSchema
  let isSecret = false
  for (const part of pointer.split('/').slice(1)) {
    const { items, properties, additionalProperties } = schema
    const own: SettingSchema | undefined = Object.hasOwn(properties ?? {}, part)
      ? properties?.[part]
      : undefined
    schema = own ?? items ?? (additionalProperties || schema)
    isSecret ||= schema.writeOnly === true
  }
  return { schema, isSecret }
}

/** Converts texts to the types of the schema. A text with another form is kept, and validation reports it. */
export function fromTexts(value: unknown, schema: SettingSchema): unknown {
  const { type, items, properties = {}, additionalProperties } = schema
  if (typeof value === 'string') return fromText(value, schema)
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => fromTexts(item, items))
  if (type !== 'object' || !isTree(value)) return value
  const known = membersOf(schema).map(([name]) => name)
  const members = Object.entries(value).map(([name, member]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    const made = own ? fromTexts(member, own) : member
    // Unknown networks are kept, so that validation reports them.
    return [name, made === undefined && !known.includes(name) ? member : made] as const
  })
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

function fromText(text: string, schema: SettingSchema): unknown {
  const { type, items } = schema
  if (text === schema['x-none']) return undefined
  if (type === 'array' && items !== undefined)
    return text.split(',').map((part) => fromTexts(part.trim(), items))
  if (schema['x-text'] !== undefined) return { [schema['x-text']]: text }
  if (type === 'integer' && /^\d{1,15}$/.test(text)) return Number(text)
  if (type === 'number' && /^(\d+|\d*\.\d+)$/.test(text)) return Number(text)
  return text
}
