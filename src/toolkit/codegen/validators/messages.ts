import { _, type Ajv, type Code, Name, str, stringify } from 'ajv'
import type { KeywordErrorCxt } from 'ajv/dist/types/index.js'
import { isArray } from '../../contract/index.js'
import type { TagProblem } from './tagged-unions.js'

/**
 * Returns the message for a violated keyword. It is built when validators are generated, from the schema's
 * descriptions.
 */
type Message = (context: KeywordErrorCxt) => Code

const fixed =
  (text: (context: KeywordErrorCxt) => string): Message =>
  (context) =>
    str`${text(context)}`

const messages: Readonly<Record<string, Message>> = {
  pattern: fixed(
    ({ parentSchema, schema }) =>
      `must be ${wanted(parentSchema, `a string that matches ${String(schema)}`)}`,
  ),
  format: fixed(
    ({ schema, parentSchema }) => `must be ${wanted(parentSchema, `of the format "${String(schema)}"`)}`,
  ),
  enum: fixed(({ schema, parentSchema }) => `must be ${choice(schema, parentSchema)}`),
  const: fixed(({ schema }) => `must be ${show(schema)}`),
  anyOf: fixed(
    (context) =>
      tagText(context) ?? `must be ${form(context, 'of one of the forms that the contract allows', '')}`,
  ),
  oneOf: (context) => {
    const forms = 'of exactly one of the forms that the contract allows'
    const text = tagText(context) ?? `must be ${form(context, forms, 'of exactly one of these forms: ')}`
    const { passing } = context.params
    if (passing === undefined) return str`${text}`
    const names = stringify(formNames(context))
    const matches = _`" but matches " + ${names}[${passing}[0]] + " and " + ${names}[${passing}[1]]`
    return _`Array.isArray(${passing}) ? ${`must be ${forms},`} + ${matches} : ${text}`
  },
  if: fixed(({ parentSchema }) => conditionText(parentSchema) ?? 'violates a condition of the contract'),
  not: fixed(({ schema }) => `must not be ${wanted(schema, 'of this form')}`),
  minLength: fixed(({ schema }) => `must have at least ${count(schema, 'character')}`),
  maxLength: fixed(({ schema }) => `must have at most ${count(schema, 'character')}`),
  minItems: fixed(({ schema }) => `must have at least ${count(schema, 'item')}`),
  maxItems: fixed(({ schema }) => `must have at most ${count(schema, 'item')}`),
  minProperties: fixed(({ schema }) => `must have at least ${count(schema, 'member')}`),
  maxProperties: fixed(({ schema }) => `must have at most ${count(schema, 'member')}`),
  minimum: fixed(({ schema }) => `must be at least ${schema}`),
  maximum: fixed(({ schema }) => `must be at most ${schema}`),
  exclusiveMinimum: fixed(({ schema }) => `must be more than ${schema}`),
  exclusiveMaximum: fixed(({ schema }) => `must be less than ${schema}`),
  multipleOf: fixed(({ schema }) => `must be a multiple of ${schema}`),
  uniqueItems: fixed(() => 'must not have duplicate items'),
  contains: fixed(() => 'has no item that matches the contract'),
  additionalItems: fixed(() => 'has more items than the contract allows'),
  additionalProperties: ({ params }) => str`the member "${params['additionalProperty']}" is not known`,
  unevaluatedProperties: ({ params }) => str`the member "${params['unevaluatedProperty']}" is not known`,
  propertyNames: ({ params }) => str`the member name "${params['propertyName']}" is not allowed`,
  required: ({ params }) => str`the member "${params['missingProperty']}" is missing`,
  dependencies: ({ params: { property, missingProperty } }) =>
    str`the member "${missingProperty}" is missing, but required by "${property}"`,
}

/** Returns the message for a value whose discriminator fits no branch. */
function tagText({ params }: KeywordErrorCxt): string | undefined {
  const { missingTag, tags } = params as TagProblem
  if (missingTag !== undefined) return `the member "${missingTag}" is missing`
  return tags && `must be ${choice(JSON.parse(tags), {})}`
}

/**
 * Returns the number of errors that the branches reported before, and whether the composition has a title.
 */
const composition = ({ errsCount, parentSchema }: KeywordErrorCxt): Code => {
  const { title, properties } = Object(parentSchema) as { title?: unknown; properties?: unknown }
  const inner = errsCount ? _`${new Name('errors')} - ${errsCount}` : _`0`
  return _`{inner: ${inner}, named: ${typeof title === 'string' && properties === undefined}}`
}

/** Like {@link composition}, and whether several branches match. */
const exclusion = (context: KeywordErrorCxt): Code => {
  const { passing } = context.params
  const facts = composition(context)
  return passing === undefined ? facts : _`{...${facts}, several: Array.isArray(${passing})}`
}

/** Like {@link composition}. A violated condition is reported with the description of its `then`. */
const condition = ({ errsCount, parentSchema }: KeywordErrorCxt): Code => {
  const inner = errsCount ? _`${new Name('errors')} - ${errsCount}` : _`0`
  return _`{inner: ${inner}, named: ${conditionText(parentSchema) !== undefined}}`
}

const facts: Readonly<Record<string, (context: KeywordErrorCxt) => Code>> = {
  anyOf: composition,
  oneOf: exclusion,
  if: condition,
  required: ({ params }) => _`{missing: ${params['missingProperty']}}`,
}

/**
 * Installs messages for people on an ajv instance. They use the schemas' descriptions and never show schema
 * internals.
 */
export function useMessages(ajv: Ajv): void {
  for (const [keyword, message] of Object.entries(messages)) {
    const rule = ajv.RULES.all[keyword]
    if (typeof rule !== 'object') continue
    rule.definition = { ...rule.definition, error: { message, params: facts[keyword] ?? _`{}` } }
  }
}

/**
 * Returns the message for a value of the wrong type. It names the expected form or values, if the schema states them.
 * @returns undefined if the schema states only a type; ajv's own message names it
 */
export function typeMessage(schema: unknown): string | undefined {
  const { type, pattern, format, enum: values } = Object(schema) as { [keyword: string]: unknown }
  if (values !== undefined) return `must be ${choice(values, schema)}`
  if (type !== 'string' || (pattern ?? format) === undefined || words(schema).title === undefined)
    return undefined
  return `must be ${wanted(schema, 'a string')}`
}

/**
 * Returns the description of a schema, such as "an address: 0x and 40 digits", or a fallback. The name of the schema is
 * added only to a description that does not name a thing, because readers of a message may not know the contract.
 */
function wanted(schema: unknown, otherwise: string): string {
  const { title, description } = words(schema)
  if (title === undefined) return description === undefined ? otherwise : `${otherwise}: ${description}`
  if (description !== undefined && /^(?:an?|the) /.test(description)) return description
  const article = /^[aeiou]/i.test(title) ? 'an' : 'a'
  return description === undefined ? `${article} ${title}` : `${article} ${title}: ${description}`
}

/**
 * Returns the title of a composition, or the forms that its branches describe. An object's description is not used,
 * because it is about all members.
 */
function form({ schema, parentSchema, it }: KeywordErrorCxt, otherwise: string, prefix: string): string {
  if (Object.hasOwn(Object(parentSchema), 'properties')) return otherwise
  const { title, description } = words(parentSchema)
  const forms = (isArray(schema) ? schema : []).map((branch: unknown) => branchForm(branch, it.self))
  if (title !== undefined || forms.length === 0 || !forms.every((text) => text !== undefined))
    return wanted(parentSchema, otherwise)
  const [last = '', ...others] = [...new Set(forms)].toReversed()
  const list = others.length === 0 ? last : `${prefix}${others.reverse().join(', ')}, or ${last}`
  return description === undefined || list.includes(':') ? list : `${list}: ${description}`
}

/**
 * Returns the names of the branches of a composition: their descriptions if these are distinct, otherwise their
 * numbers.
 */
function formNames({ schema, it }: KeywordErrorCxt): readonly string[] {
  const forms = (isArray(schema) ? schema : []).map((branch: unknown) => branchForm(branch, it.self))
  const isClear = !forms.includes(undefined) && new Set(forms).size === forms.length
  return forms.map((text, at) => (isClear && text !== undefined ? text : `form ${at + 1}`))
}

/** Returns the form that a branch of a composition describes; undefined without a description. */
function branchForm(branch: unknown, ajv: KeywordErrorCxt['it']['self']): string | undefined {
  const { $ref, type, enum: values } = Object(branch) as { [keyword: string]: unknown }
  if (typeof $ref === 'string') {
    const target = ajv.schemas[$ref]?.schema
    return target === undefined ? undefined : branchForm(target, ajv)
  }
  if (values !== undefined) return choice(values, branch)
  const word = typeof type === 'string' ? typeWords.get(type) : undefined
  return words(branch).title === undefined ? word : wanted(branch, '')
}

const typeWords: ReadonlyMap<string, string> = new Map([
  ['array', 'a list'],
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['null', 'null'],
  ['number', 'a number'],
  ['object', 'an object'],
])

/** Returns the description of `then`, unless an `else` could have been violated instead. */
function conditionText(schema: unknown): string | undefined {
  const { then: consequence, else: otherwise } = Object(schema) as { then?: unknown; else?: unknown }
  return otherwise === undefined ? words(consequence).description : undefined
}

function words(schema: unknown): {
  readonly title: string | undefined
  readonly description: string | undefined
} {
  const { title, description } = Object(schema) as { title?: unknown; description?: unknown }
  return {
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? firstSentence(description) : undefined,
  }
}

function firstSentence(text: string): string {
  const sentence = text
    .replaceAll(/\s+/g, ' ')
    // Messages are plain text.
    .replaceAll('`', '')
    .trim()
    .replace(/\. .*$/s, '')
    .replace(/\.$/, '')
    .replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase())
  return sentence.length > 160 ? `${sentence.slice(0, 159)}…` : sentence
}

function choice(values: unknown, schema: unknown): string {
  if (!Array.isArray(values)) return wanted(schema, 'one of the allowed values')
  const shown = values.slice(0, 12).map(show)
  if (shown.length === 1) return shown[0] ?? ''
  return `one of ${shown.join(', ')}${values.length > shown.length ? ' …' : ''}`
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

function count(value: unknown, what: string): string {
  return `${String(value)} ${what}${value === 1 ? '' : 's'}`
}
