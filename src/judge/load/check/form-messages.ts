import type { ErrorObject } from 'ajv'
import { isObject, type JsonValue, joinPath, joinPointer } from '../../../toolkit/contract/index.js'
import { nearestName } from '../../scenario/nearest-name.js'

/** The message for a schema error, and whether it is located at the name or the value of its place. */
export interface FormMessage {
  /** JSON pointer in fragment form. */
  readonly pointer: string
  readonly part: 'name' | 'value'
  readonly message: string
}

const KINDS = ['call', 'batch', 'raw', 'compute', 'parallel', 'skip-unless']

/** The last kinds that the schema tries for a step, and for a step in `parallel`. */
const LAST_KINDS: readonly unknown[] = ['compute', 'raw']

/** Describes schema errors, without those that are only consequences of others. */
export function formMessages(errors: readonly ErrorObject[]): readonly FormMessage[] {
  const noKind = errors.filter(isOfNoKind).map(({ instancePath }) => instancePath)
  const messages = errors
    .filter(({ keyword, instancePath }) => {
      if (keyword === 'if' || keyword === 'propertyNames') return false
      return keyword !== 'additionalProperties' || !noKind.includes(instancePath)
    })
    .map((error) => ({ ...placeOf(error), message: messageOf(error) }))
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()]
}

const BEYOND: Readonly<Record<string, string>> = {
  minimum: 'less than',
  exclusiveMinimum: 'not above',
  maximum: 'more than',
}

/** The schema reports a step of unknown kind as one of the last kind. Its other errors would mislead. */
function isOfNoKind({ keyword, params }: ErrorObject): boolean {
  return keyword === 'required' && LAST_KINDS.includes(params['missingProperty'])
}

function placeOf({ keyword, instancePath, params, propertyName }: ErrorObject): Omit<FormMessage, 'message'> {
  const pointer = joinPath('#', instancePath)
  const member = keyword === 'additionalProperties' ? String(params['additionalProperty']) : propertyName
  if (member !== undefined) {
    return { pointer: joinPointer(pointer, member), part: 'name' }
  }
  return { pointer, part: ['false schema', 'required', 'not'].includes(keyword) ? 'name' : 'value' }
}

function messageOf(error: ErrorObject): string {
  const { keyword, params, parentSchema } = error
  const hint: unknown = isObject(parentSchema) ? parentSchema['x-hint'] : undefined
  const because = typeof hint === 'string' ? `; ${hint}` : ''
  const name = nameOf(error)
  switch (keyword) {
    case 'additionalProperties':
      return unknownMember(error)
    case 'required':
      return isOfNoKind(error)
        ? noKindMessage(error)
        : `the member "${String(params['missingProperty'])}" is missing`
    case 'type':
      return `${name} is ${typeOf(error.data as JsonValue)}, and must be ${typeNames(params['type'])}${because}`
    case 'enum':
      return notAllowed(error)
    case 'const':
      return `${name} can only be ${JSON.stringify(params['allowedValue'])}; leave it out otherwise`
    case 'pattern':
      return typeof hint === 'string'
        ? `${JSON.stringify(error.data)}: ${hint}`
        : `${name} has the wrong form`
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
      return `${name} is ${BEYOND[keyword]} ${String(params['limit'])}${because}`
    case 'minItems':
      return params['limit'] === 1
        ? `${name} is empty; fill it in or leave it out`
        : `${name} needs at least ${String(params['limit'])} items`
    case 'uniqueItems':
      return `${name} contains the same text twice`
    case 'not':
      return String(hint)
    case 'false schema':
      return `matchers, whose names begin with $, cannot be mixed with members; write { $has: { … } } for the members`
    default:
      return `${name} is empty; fill it in or leave it out`
  }
}

/** Returns `"steps"`, or the name for an item of a list. */
function nameOf({ instancePath }: ErrorObject): string {
  const name = instancePath.slice(instancePath.lastIndexOf('/') + 1)
  if (name === '') return 'the file'
  return /^\d+$/.test(name) ? 'this item' : `"${name.replaceAll('~1', '/').replaceAll('~0', '~')}"`
}

function unknownMember({ params, parentSchema, data }: ErrorObject): string {
  const name = String(params['additionalProperty'])
  const known = isObject(parentSchema?.['properties']) ? Object.keys(parentSchema['properties']) : []
  const present = isObject(data as JsonValue) ? Object.keys(data as object) : []
  if (KINDS.includes(name) && present.filter((one) => KINDS.includes(one)).length > 1) {
    return `a step is one of ${KINDS.join(', ')}, but this one is two; split it into two steps`
  }
  const what = name.startsWith('$') ? `"${name}" is not a matcher` : `"${name}" is not known here`
  const nearest = nearestName(name, known)
  return nearest === undefined
    ? `${what}; known are ${known.join(', ')}`
    : `${what}; did you mean "${nearest}"?`
}

function noKindMessage({ data, params }: ErrorObject): string {
  if (params['missingProperty'] === 'raw') {
    return 'a step within parallel is one of call, batch, raw, but this one is none of them'
  }
  const names = isObject(data as JsonValue) ? Object.keys(data as object) : []
  const meant = names.flatMap((name) => {
    const kind = nearestName(name, KINDS)
    return kind === undefined ? [] : `; did you mean "${kind}" instead of "${name}"?`
  })
  return `a step is one of ${KINDS.join(', ')}, but this one is none of them${meant[0] ?? ''}`
}

function notAllowed({ data, params }: ErrorObject): string {
  const allowed = (params['allowedValues'] as readonly unknown[]).map(String)
  const nearest = typeof data === 'string' ? nearestName(data, allowed) : undefined
  const meant = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  return `${JSON.stringify(data)} is not one of ${allowed.join(', ')}${meant}`
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeName(Number.isInteger(value) ? 'integer' : typeof value)
}

function typeNames(types: unknown): string {
  const names = (Array.isArray(types) ? types : [types]).map((type) => typeName(String(type)))
  return names.join(' or ')
}

function typeName(type: string): string {
  const names: Readonly<Record<string, string>> = {
    string: 'a string',
    object: 'an object',
    array: 'a list',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
  }
  return names[type] ?? type
}
