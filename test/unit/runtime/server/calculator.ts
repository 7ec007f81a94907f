import {
  type JsonValue,
  type MethodDescriptor,
  RawJson,
  RpcError,
  type ValidationProblem,
} from '../../../../src/runtime/rpc/index.js'
import type { HandlersOf } from '../../../../src/runtime/server/index.js'

/** A hand-written contract, as small as the tests of the server allow. */

type Check = (value: unknown) => string | undefined

const isNumber: Check = (value) => (typeof value === 'number' ? undefined : 'must be a number')
const isText: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string')
const isAnything: Check = () => undefined

interface Param {
  readonly name: string
  readonly check: Check
  readonly optional?: true
  readonly nullable?: true
  readonly preset?: JsonValue
}

interface Rest {
  readonly structure?: MethodDescriptor['paramStructure']
  readonly result?: Check
  readonly notification?: true
}

/** Describes a method, with validators that behave like generated ones. */
export function method(name: string, params: readonly Param[], rest: Rest = {}): MethodDescriptor {
  const { structure = 'by-position', result = isNumber, notification = false } = rest
  return {
    name,
    params: params.map(({ name, optional, nullable, preset }) => ({
      name,
      required: !optional,
      ...(preset === undefined ? {} : { default: preset }),
      ...(nullable && { nullable }),
    })),
    paramStructure: structure,
    notification,
    extensions: {},
    validateParams: (sent) => checkParams(sent, structure, params),
    validateResult(value) {
      const message = result(value)
      return message === undefined ? [] : [{ path: '', rule: 'type', message }]
    },
  }
}

const number = (name: string): Param => ({ name, check: isNumber })

function checkParams(sent: unknown, structure: string, params: readonly Param[]): ValidationProblem[] {
  const isList = Array.isArray(sent)
  if (structure === (isList ? 'by-name' : 'by-position')) {
    return [{ path: '', rule: 'type', message: isList ? 'must be an object' : 'must be a list' }]
  }
  const given = Object.keys(sent as object)
  const keys: readonly string[] = isList ? params.map((_, at) => String(at)) : params.map(({ name }) => name)
  const problems: ValidationProblem[] = given
    .filter((key) => !keys.includes(key))
    .map(() => ({ path: '', rule: 'maxItems', message: 'too many' }))
  for (const [at, { check, optional }] of params.entries()) {
    const key = keys[at] ?? ''
    const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const value = (sent as Readonly<Record<string, unknown>>)[key]
    if (!given.includes(key) || value === undefined) {
      if (!optional) problems.push({ path, rule: 'required', message: 'is missing' })
      continue
    }
    const message = check(value)
    if (message !== undefined) problems.push({ path, rule: 'type', message })
  }
  return problems
}

export const methods = {
  add: method('add', [number('left'), number('right')]),
  divide: method('divide', [number('left'), number('right')]),
  scale: method('scale', [number('value'), { name: 'by', check: isNumber, optional: true, preset: 10 }]),
  /** The middle parameter is optional without a default; the last one has a default. */
  label: method(
    'label',
    [
      { name: 'text', check: isText },
      { name: 'unit/kind', check: isText, optional: true },
      { name: 'mark', check: isText, optional: true, preset: '!' },
    ],
    { structure: 'either', result: isText },
  ),
  named: method(
    'named',
    [
      { name: '__proto__', check: isText },
      { name: 'constructor', check: isText, optional: true },
    ],
    {
      structure: 'by-name',
      result: isAnything,
    },
  ),
  /** Null is a value of the optional parameter. */
  shown: method('shown', [{ name: 'value', check: isAnything, optional: true, nullable: true, preset: 7 }], {
    result: isAnything,
  }),
  echo: method('echo', [{ name: 'value', check: isAnything }], { result: isAnything }),
  later: method('later', [{ name: 'value', check: isAnything }], { result: isAnything }),
  raw: method('raw', [{ name: 'json', check: isText }]),
  rawBytes: method('rawBytes', [{ name: 'json', check: isText }]),
  odd: method('odd', [{ name: 'kind', check: isText }]),
  toString: method('toString', [], { result: isText }),
  note: method('note', [{ name: 'text', check: isText }], { structure: 'either', notification: true }),
} as const

/** The text of errors that the calculator throws on purpose. Tests check that it never reaches the wire. */
export const SECRET = 'the secret of /srv/calculator'

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

const ODD_RESULTS: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new TypeError(SECRET)
  },
  rejects: () => Promise.reject(new TypeError(SECRET)),
  throwsText: () => {
    throw SECRET
  },
  bigint: () => 1n,
  cycle: () => cycle,
  undefined: () => undefined,
  function: () => () => 1,
  toJson: () => ({
    toJSON() {
      throw new TypeError(SECRET)
    },
  }),
  wrong: () => 'no number',
  laterUndefined: () => Promise.resolve(undefined),
  laterBigint: () => Promise.resolve(1n),
  emptyRaw: () => new RawJson(''),
  wrongRaw: () => new RawJson('"no number"'),
  errorWithBigint: () => {
    throw new RpcError({ code: 7, message: 'odd', data: 1n as unknown as JsonValue })
  },
  errorWithCause: () => {
    throw new RpcError({ code: 7, message: 'with a cause', cause: new Error(SECRET) })
  },
  thenThrows: () => ({
    // biome-ignore lint/suspicious/noThenProperty: what a foreign promise library may hand over
    then() {
      throw new TypeError(SECRET)
    },
  }),
}

export const ODD_KINDS = Object.keys(ODD_RESULTS)

type Calculator = HandlersOf<typeof methods, unknown>

/** The recorded texts, for tests of notifications. */
export function createCalculator(noted: string[] = []): Calculator {
  return {
    add: ({ left, right }: { left: number; right: number }) => left + right,
    divide({ left, right }: { left: number; right: number }) {
      if (right === 0) {
        throw new RpcError({
          code: -32010,
          message: 'by zero',
          data: { left },
          httpStatus: 409,
          retryAfterSeconds: 3,
        })
      }
      return left / right
    },
    scale: ({ value, by }: { value: number; by: number }) => value * by,
    label: (params: { text: string; 'unit/kind'?: string; mark: string }) =>
      `${params.text} ${'unit/kind' in params ? params['unit/kind'] : '-'} ${params.mark}`,
    named: (params: object) => Object.entries(params),
    shown: ({ value }: { value: JsonValue }) => value,
    echo: ({ value }: { value: JsonValue }) => value,
    later: ({ value }: { value: JsonValue }) => new Promise((resolve) => setImmediate(() => resolve(value))),
    raw: ({ json }: { json: string }) => new RawJson(json),
    rawBytes: ({ json }: { json: string }) => Promise.resolve(new RawJson(Buffer.from(json))),
    odd: ({ kind }: { kind: string }) => ODD_RESULTS[kind]?.(),
    toString: () => 'a calculator',
    note: ({ text }: { text: string }) => {
      noted.push(text)
    },
  }
}
