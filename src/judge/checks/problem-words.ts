import type { ErrorObject } from 'ajv'
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  pointerOf,
  pointerTokens,
  stringMember,
} from '../../toolkit/contract/index.js'
import { placeOfReference } from './schema-document.js'

type Words = (error: ErrorObject) => string

const amount = (count: unknown, what: string) => `${String(count)} ${what}${count === 1 ? '' : 's'}`

/** Messages by keyword. */
const words: Readonly<Record<string, Words>> = {
  type: ({ schema }) => `must be ${typeWords(schema)}`,
  pattern: ({ parentSchema, schema }) => `must be ${titled(parentSchema)}text that matches ${String(schema)}`,
  enum: ({ schema }) => `must be ${oneOf(schema)}`,
  const: ({ schema }) => `must be ${shown(schema)}`,
  required: ({ params }) => `must have the member "${params['missingProperty']}"`,
  dependencies: ({ params }) =>
    `must have the member "${params['missingProperty']}", because it has "${params['property']}"`,
  dependentRequired: ({ params }) =>
    `must have the member "${params['missingProperty']}", because it has "${params['property']}"`,
  additionalProperties: ({ params }) => `must not have the member "${params['additionalProperty']}"`,
  unevaluatedProperties: ({ params }) => `must not have the member "${params['unevaluatedProperty']}"`,
  propertyNames: ({ params }) => `must not have a member with the name "${params['propertyName']}"`,
  additionalItems: ({ params }) => `must have at most ${amount(params['limit'], 'item')}`,
  unevaluatedItems: ({ params }) => `must have at most ${amount(params['limit'], 'item')}`,
  contains: () => 'must have an item that matches the schema',
  uniqueItems: () => 'must not have duplicate items',
  minItems: ({ schema }) => `must have at least ${amount(schema, 'item')}`,
  maxItems: ({ schema }) => `must have at most ${amount(schema, 'item')}`,
  minLength: ({ schema }) => `must have at least ${amount(schema, 'character')}`,
  maxLength: ({ schema }) => `must have at most ${amount(schema, 'character')}`,
  minProperties: ({ schema }) => `must have at least ${amount(schema, 'member')}`,
  maxProperties: ({ schema }) => `must have at most ${amount(schema, 'member')}`,
  minimum: ({ schema }) => `must be at least ${schema}`,
  maximum: ({ schema }) => `must be at most ${schema}`,
  exclusiveMinimum: ({ schema }) => `must be more than ${schema}`,
  exclusiveMaximum: ({ schema }) => `must be less than ${schema}`,
  multipleOf: ({ schema }) => `must be a multiple of ${schema}`,
  not: ({ schema }) => `must not be ${formOf(schema as JsonValue)}`,
  anyOf: ({ schema, parentSchema }) => alternatives(schema, parentSchema, 'one of'),
  oneOf: ({ schema, parentSchema }) => alternatives(schema, parentSchema, 'exactly one of'),
  if: () => 'must meet a condition of its schema',
  'false schema': () => 'must be absent',
}

/** Describes the expectation that an ajv error violated. */
export function problemWords(error: ErrorObject): string {
  const text = words[error.keyword]?.(error) ?? `must satisfy "${error.keyword}" of its schema`
  return text.length > 300 ? `${text.slice(0, 299)}…` : text
}

function typeWords(type: unknown): string {
  return [type]
    .flat()
    .map((name) => typeNames[String(name)] ?? String(name))
    .join(' or ')
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'text',
}

/** Returns a prefix such as "a Hash: ", if the schema has a title. */
function titled(schema: unknown): string {
  const title = isObject(schema as JsonValue)
    ? stringMember(schema as { [name: string]: JsonValue }, 'title')
    : undefined
  return title === undefined ? '' : `${article(title)}: `
}

function article(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

function oneOf(values: unknown): string {
  const list = Array.isArray(values) ? values : []
  const texts = list.slice(0, 12).map(shown)
  if (texts.length === 1) return texts[0] ?? ''
  return `one of ${texts.join(', ')}${list.length > texts.length ? ' …' : ''}`
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** Describes alternatives by their required members if they have nothing else, otherwise by their names. */
function alternatives(forms: unknown, parent: unknown, quantity: string): string {
  const list = (Array.isArray(forms) ? forms : []) as readonly JsonValue[]
  const asked = list.map(onlyRequired)
  if (list.length > 0 && asked.every((names) => names !== undefined)) {
    return `must have ${quantity} ${asked.map((names) => names.map((name) => `"${name}"`).join(' and ')).join(', ')}`
  }
  const title = titled(parent)
  const names = [...new Set(list.map(formOf))]
  return title === '' ? `must be ${names.join(' or ')}` : `must be ${title}${names.join(' or ')}`
}

function onlyRequired(form: JsonValue): readonly string[] | undefined {
  if (!isObject(form) || Object.keys(form).length !== 1) return undefined
  const required = member(form, 'required')
  return isArray(required) ? required.map(String) : undefined
}

/** Describes a schema briefly: its title, the target of its reference, or its type. */
function formOf(schema: JsonValue): string {
  if (!isObject(schema)) return schema === false ? 'anything' : 'of another form'
  const title = stringMember(schema, 'title')
  const target = targetName(schema)
  if (title !== undefined || target !== undefined) return article(title ?? target ?? '')
  const constant = member(schema, 'const')
  if (constant !== undefined) return shown(constant)
  if (isArray(member(schema, 'enum'))) return oneOf(member(schema, 'enum'))
  const type = member(schema, 'type')
  if (type === undefined) return 'of another form'
  const items = member(schema, 'items')
  const of = type === 'array' && isObject(items) ? itemName(items) : ''
  return `${typeWords(type)}${of}`
}

function itemName(items: JsonValue): string {
  const name = isObject(items) ? (stringMember(items, 'title') ?? targetName(items)) : undefined
  return name === undefined ? '' : ` of ${name}`
}

/** Returns the last segment of a schema's reference. */
function targetName(schema: JsonObject): string | undefined {
  const reference = stringMember(schema, '$ref')
  return reference === undefined ? undefined : pointerTokens(pointerOf(placeOfReference(reference)))?.at(-1)
}
