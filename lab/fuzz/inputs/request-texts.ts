import fc from 'fast-check'
import type { Contract, JsonValue, Method } from '../../../src/toolkit/contract/index.js'
import { createValues, unlessNone } from '../../../src/toolkit/values/index.js'
import { codePoint } from '../../../test/support/code-point.js'
import { jsonMutations, mutate, utf8 } from '../../../test/support/mutations.js'
import { orNull } from './or-null.js'

/** Generators of JSON-RPC requests for the methods of a contract. */
export interface RequestTexts {
  /** Valid calls, as objects. */
  readonly validCall: fc.Arbitrary<Call>
  /** Bodies: valid, nearly valid and broken requests and batches, in UTF-8 as Latin-1. */
  readonly body: fc.Arbitrary<string>
}

/** A valid call. */
export interface Call {
  readonly method: string
  readonly params: readonly JsonValue[]
}

const anyValue = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>

/** Ids as raw JSON, because JSON.stringify cannot write all of them. */
const ids: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.nat().map(String) },
  { weight: 2, arbitrary: fc.string({ unit: codePoint }).map((text) => JSON.stringify(text)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['null', '1.5', '-1', '-0', '1e3', '12345678901234567890', 'true', '{}', '[1]', '""', '"\\ud800"'],
    ),
  },
)

const versions = fc.oneof(
  { weight: 12, arbitrary: fc.constant('"2.0"') },
  { weight: 1, arbitrary: fc.constantFrom('"1.0"', '2.0', 'null', '"2.0 "', '[]') },
)

const oddNames: readonly string[] = [
  ...['rpc.discover', '', ' ', '__proto__', 'constructor', 'toString', 'eth_', 'ETH_CHAINID', 'eth_chainId '],
  ...['eth_subscribe', 'rpc.', 'é', '\0', 'a'.repeat(5_000)],
]

/** Creates the generators. A call that the contract allows is as likely as one that it does not allow. */
export function createRequestTexts(contract: Contract): RequestTexts {
  const values = createValues(contract, { varied: true, small: true })
  const sources = contract.methods
    .filter(({ result }) => result !== undefined)
    .map((method) => ({
      method,
      valid: fc.tuple(...method.params.map(({ schema }) => values.valid([schema]))),
      nearly: method.params.flatMap(({ schema }, at) => {
        const made = unlessNone(() => values.nearlyValid(schema))
        return made === undefined ? [] : [{ at, made: orNull(made.map(({ value }) => value)) }]
      }),
    }))
  const validCall = fc.oneof(
    ...sources.map(({ method, valid }) =>
      fc.tuple(valid, fc.nat(method.params.length)).map(([params, length]) => ({
        method: method.name,
        params: params.slice(0, Math.max(length, leastParams(method))),
      })),
    ),
  )
  const paramsTexts = sources.map(({ method, valid, nearly }) => ({
    name: method.name,
    params: paramsText(method, valid, nearly),
  }))
  const named = fc.oneof(
    ...paramsTexts.map(({ name, params }) => params.map((text) => ({ name: JSON.stringify(name), text }))),
  )
  const methodAndParams = fc.oneof(
    { weight: 12, arbitrary: named },
    {
      weight: 1,
      arbitrary: fc.record({
        name: fc.oneof(
          fc.constantFrom(...oddNames).map((name) => JSON.stringify(name)),
          fc.constant('7'),
        ),
        text: anyValue.map((value) => JSON.stringify(value)),
      }),
    },
  )
  const member = fc
    .tuple(fc.string({ maxLength: 5 }), anyValue)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
  const request = fc
    .record({
      version: versions,
      id: fc.option(ids, { freq: 12 }),
      call: methodAndParams,
      surplus: fc.option(member, { freq: 1, nil: '' }).map((text) => text),
      isSurplus: fc.nat(11),
    })
    .map(({ version, id, call, surplus, isSurplus }) => {
      const idText = id === null ? '' : `,"id":${id}`
      const params = call.text === '' ? '' : `,"params":${call.text}`
      return utf8(
        `{"jsonrpc":${version}${idText},"method":${call.name}${params}${isSurplus === 0 ? surplus : ''}}`,
      )
    })
  const batch = fc
    .oneof(
      { weight: 20, arbitrary: fc.array(request, { maxLength: 6 }) },
      { weight: 1, arbitrary: request.map((one) => Array<string>(101).fill(one)) },
    )
    .map((requests) => `[${requests.join()}]`)
  const structured = fc.oneof(
    { weight: 10, arbitrary: request },
    { weight: 3, arbitrary: batch },
    { weight: 1, arbitrary: anyValue.map((value) => utf8(JSON.stringify(value))) },
  )
  const broken = fc.tuple(structured, fc.array(jsonMutations, { minLength: 1, maxLength: 3 }))
  const body = fc.oneof(
    { weight: 4, arbitrary: structured },
    { weight: 1, arbitrary: broken.map(([text, changes]) => mutate(text, changes)) },
  )
  return { validCall, body }
}

const leastParams = ({ params }: Method): number => params.findLastIndex(({ required }) => required) + 1

/** The text of `params`; empty to leave it out. */
function paramsText(
  { params }: Method,
  valid: fc.Arbitrary<JsonValue[]>,
  nearly: readonly { readonly at: number; readonly made: fc.Arbitrary<JsonValue> }[],
): fc.Arbitrary<string> {
  const text = (value: JsonValue) => JSON.stringify(value)
  const wrong = nearly.map(({ at, made }) =>
    fc.tuple(valid, made).map(([list, value]) => text(list.with(at, value))),
  )
  const byName = valid.map((list) =>
    text(Object.fromEntries(list.map((value, at) => [params[at]?.name ?? '', value]))),
  )
  return fc.oneof(
    { weight: 6, arbitrary: valid.map(text) },
    ...(wrong.length === 0 ? [] : [{ weight: 5, arbitrary: fc.oneof(...wrong) }]),
    { weight: 1, arbitrary: byName },
    { weight: 1, arbitrary: fc.tuple(valid, anyValue).map(([list, value]) => text([...list, value])) },
    { weight: 1, arbitrary: fc.tuple(valid, fc.nat(3)).map(([list, length]) => text(list.slice(0, length))) },
    { weight: 1, arbitrary: anyValue.map(text) },
    { weight: 1, arbitrary: fc.constant('') },
  )
}
