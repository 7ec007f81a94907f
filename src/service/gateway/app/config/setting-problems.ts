import { closest, distance } from 'fastest-levenshtein'
import { networkNames } from '../../profiles/index.js'
import { formatProblem, unknownNetwork } from './setting-formats.js'
import type { SettingSchema } from './setting-schema.js'
import { allSettings, schemaAt, type Tree } from './setting-tree.js'
import { type Origin, pointerPart, shownPointer } from './settings-file.js'
import { validateSettings } from './settings-validator.js'

/** An error object of ajv. */
interface SchemaError {
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** The property name, for errors of the keyword `propertyNames`. */
  readonly propertyName?: string
}

/** A schema compiled by ajv. */
interface Validate {
  (value: unknown): boolean
  readonly errors?: readonly SchemaError[] | null
}

/** A problem without its position. */
interface Explained {
  readonly pointer: string
  readonly reason: string
  /** True when the name itself is the problem. The value is then not checked. */
  readonly isName?: boolean
}

/** The sources of settings, by JSON pointer. */
export type Origins = ReadonlyMap<string, Origin>

const pathText = ({ path }: (typeof allSettings)[number]) => path.join('.')

/** A suggestion with the nearest known name, as the end of a sentence; empty without one. */
function suggestion(name: string, known: readonly string[]): string {
  const nearest = closest(name, known)
  return distance(name, nearest) <= name.length / 3 ? `: did you mean ${nearest}?` : ''
}

const unknownSetting = (name: string, known: readonly string[]) =>
  `is not a setting of this version${suggestion(name, known)}`

/**
 * Removes the settings that the schema does not know.
 * @returns a sentence about each of them, with its place in the file
 */
export function removeUnknown(settings: unknown, origins: Origins): readonly string[] {
  validateSettings(structuredClone(settings))
  const errors: readonly SchemaError[] = (validateSettings as Validate).errors ?? []
  const unknown = errors
    .filter(({ keyword, propertyName }) => keyword === 'additionalProperties' && propertyName === undefined)
    .map(explain)
  for (const { pointer } of unknown) unset(settings, pointer)
  return unknown.flatMap(({ pointer }) =>
    problemAt(pointer, 'is not a setting of this version, and is ignored', undefined, origins),
  )
}

/** The part of a variable's name before the network. */
const networkVariables = allSettings
  .filter(({ path }) => path.at(-1) === networkNames[0])
  .map(({ variable }) => variable.slice(0, variable.lastIndexOf('_') + 1))

/** The problem of a variable that is not a setting. */
export function unknownVariable(name: string, known: readonly string[]): string {
  const prefix = networkVariables.find((beginning) => name.startsWith(beginning))
  return prefix === undefined
    ? unknownSetting(name, known)
    : unknownNetwork(name.slice(prefix.length).toLowerCase())
}

/**
 * Validates settings by the schema, sets defaults and removes invalid values.
 * @returns every problem, with the name of the setting and its place in the file
 */
export function schemaProblems(settings: unknown, origins: Origins): readonly string[] {
  const validate: Validate = validateSettings
  if (validate(settings)) return []
  const errors = validate.errors ?? []
  const found = errors.filter(({ propertyName }) => propertyName === undefined).map(explain)
  const nameless = found.filter(({ isName }) => isName).map(({ pointer }) => pointer)
  const problems = found
    .filter(({ pointer, isName }) => isName || !nameless.some((name) => isBelow(pointer, name)))
    .flatMap(({ pointer, reason, isName }) =>
      problemAt(pointer, reason, isName ? undefined : settings, origins),
    )
  for (const { pointer } of found) unset(settings, pointer)
  return problems
}

/**
 * Describes a problem of the setting at a JSON pointer. A text with a missing variable is reported only once.
 * @param settings that contain the value to show in the problem; undefined to show none
 */
export function problemAt(
  pointer: string,
  reason: string,
  settings: unknown,
  origins: Origins,
): readonly string[] {
  let nearest = pointer
  while (!origins.has(nearest) && nearest !== '') nearest = nearest.slice(0, nearest.lastIndexOf('/'))
  const { place, variable, isIncomplete, isFromEnvironment } = origins.get(nearest) ?? {}
  if (isIncomplete) return []
  const [, item] = /^\/(\d+)/.exec(pointer.slice(nearest.length)) ?? []
  const name =
    variable === undefined ? [place, shownPointer(pointer)] : [variable, item && `item ${Number(item) + 1}`]
  const value = valueAt(settings, pointer)
  const isHidden =
    pointer === '' || isFromEnvironment || schemaAt(pointer).isSecret || typeof value === 'object'
  const repeated = isHidden || value === undefined ? '' : `, not "${value}"`
  return [`${[...name, reason].filter(Boolean).join(' ')}${repeated}`]
}

/** Returns the value at a JSON pointer; undefined if it does not exist. */
function valueAt(settings: unknown, pointer: string): unknown {
  const parts = pointer.split('/').slice(1)
  return parts.reduce((inner, part) => (inner as Tree | undefined)?.[part], settings)
}

function unset(settings: unknown, pointer: string): void {
  const at = pointer.lastIndexOf('/')
  const parent = valueAt(settings, pointer.slice(0, at)) as Tree | undefined
  if (parent !== undefined) delete parent[pointer.slice(at + 1)]
}

const isBelow = (pointer: string, other: string) => `${pointer}/`.startsWith(`${other}/`)

function explain({ instancePath, keyword, params }: SchemaError): Explained {
  const { schema } = schemaAt(instancePath)
  const member = (name: unknown) => `${instancePath}/${pointerPart(String(name))}`
  switch (keyword) {
    case 'additionalProperties': {
      const pointer = member(params['additionalProperty'])
      const known = Object.keys(schema.properties ?? {}).map((name) => shownPointer(member(name)))
      const reason = unknownSetting(shownPointer(pointer), [...known, ...allSettings.map(pathText)])
      return { pointer, reason, isName: true }
    }
    case 'propertyNames': {
      const name = String(params['propertyName'])
      const format = schema.propertyNames?.format ?? ''
      const reason = format.startsWith('network') ? unknownNetwork(name) : formatProblem(format)
      return { pointer: member(name), reason, isName: true }
    }
    case 'required':
      return { pointer: instancePath, reason: `must have ${params['missingProperty']}` }
    default:
      return { pointer: instancePath, reason: expectation(schema) }
  }
}

/** Describes the values that a schema allows. */
function expectation(schema: SettingSchema): string {
  const { type, format, minLength, minimum, maximum, enum: words } = schema
  if (words !== undefined) return `must be one of ${words.join(', ')}`
  if (format !== undefined) return formatProblem(format)
  if (minLength !== undefined) return `must have ${minLength} characters or more`
  if (type === 'object') return 'must be a mapping of settings'
  if (type === 'array') {
    const none = schema['x-none']
    return `must list one or more${none === undefined ? '' : `, or be ${none}`}`
  }
  return `must be a ${type === 'integer' ? 'whole ' : ''}number from ${minimum} to ${maximum}`
}
