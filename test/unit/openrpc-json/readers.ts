import { createFetchHandler } from '@concordat/server/fetch'
import { extensions } from '../../../generated/contract.js'
import { methods } from '../../../generated/methods.js'
import { KnownHeads } from '../../../src/judge/forms/known-heads.js'
import { Spellings, spellingRules, statedSpellings } from '../../../src/judge/forms/spellings.js'
import type { CaseResult } from '../../../src/judge/index.js'
import { contractTerms, createChecks } from '../../../src/judge/index.js'
import { judgeHeaders, judgeSecrets } from '../../../src/judge/oracles/every-answer.js'
import { createCharges } from '../../../src/judge/oracles/traffic/charges.js'
import type { Exchange } from '../../../src/judge/send/exchange.js'
import type { HeadQuestion } from '../../../src/judge/terms/contract-terms.js'
import { createReadRequest, type EnvelopeRules, rawIds } from '../../../src/runtime/rpc/index.js'
import { createService } from '../../../src/runtime/server/index.js'
import { readResultShapes } from '../../../src/service/gateway/nodes/answers/result-shape.js'
import { exploredCases, generate, type Part } from '../../../src/toolkit/codegen/index.js'
import {
  type Contract,
  isArray,
  isObject,
  type JsonValue,
  parseContract,
  readLaws,
} from '../../../src/toolkit/contract/index.js'
import type { Members } from './authored-contract.js'

/** What a reader makes of a contract, as text. */
type Reader = (contract: Contract) => string | Promise<string>

const tool = { name: 'a tool', version: '1.0.0' }

/** The files of a part, without the checksum of the contract and without the extensions that methods carry as data. */
const generated =
  (part: Part): Reader =>
  (contract) =>
    generate(contract, tool, { only: [part] })
      .files.filter(({ path }) => path !== 'document.ts')
      .map(({ content }) => content)
      .join('')
      .replace(/"sha256": "\w+"/, '')
      .replaceAll(/^ {4}extensions: \{[\s\S]*?\},\n(?= {4}\w|\s*\})/gm, '')

/** JSON of values with maps, sets and functions. */
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner instanceof Set || inner instanceof Map ? [...inner] : typeof inner === 'function' ? '' : inner,
  )

const bodies: readonly object[] = [
  ...[
    { result: 1 },
    { error: { code: 1, message: 'm' } },
    {},
    { result: 1, error: { code: 1, message: 'm' } },
  ],
  ...[{ error: { code: 1 } }, { error: { message: 'm' } }, { error: { code: '1', message: 'm' } }],
  ...[{ error: { code: 1, message: 1 } }, { error: [] }],
]
/** Answers that follow an envelope, or not. */
const answers = [
  ...bodies.flatMap((body) => [1, 'text', null, true].map((id) => ({ jsonrpc: '2.0', id, ...body }))),
  ...[[], 1, { id: 1, result: 1 }, { jsonrpc: '2.0', result: 1 }, { jsonrpc: '1.0', id: 1, result: 1 }],
  { jsonrpc: '2.0x', id: 1, result: 1 },
] as readonly JsonValue[]

/** A list with its first item again, in a later block and at an earlier position. */
const outOfOrder = (value: JsonValue): JsonValue => {
  const [first] = isArray(value) ? value : []
  return isArray(value) && isObject(first)
    ? [first, { ...first, blockNumber: '0xffffffff', logIndex: '0x0' }]
    : value
}

/** Results whose lists are in another order. */
const inOtherOrder = (value: JsonValue): readonly JsonValue[] => [
  ...(isArray(value) ? [[...value, ...value], outOfOrder(value)] : []),
  ...(isObject(value) && isArray(value['logs'])
    ? [{ ...value, logs: [...value['logs'], ...value['logs']] }]
    : []),
]

/** Calls of the examples of a contract, with their results. */
const examplesOf = ({ document }: Contract) =>
  (document['methods'] as unknown as Members[]).flatMap(({ name, examples }) =>
    ((examples ?? []) as Members[]).map(({ params = [], result }) => ({
      method: String(name),
      params: (params as Members[]).map(({ value }) => value as JsonValue),
      result: (result as Members | undefined)?.['value'] as JsonValue | undefined,
    })),
  )

const answered = (headers: Readonly<Record<string, string>>) =>
  ['http.json-answers', 'http.cors', 'keys.never-logged'].map(
    (rule) =>
      ({
        ...{ id: rule, rules: [rule], verdict: 'pass', findings: [] },
        evidence: [
          {
            step: 1,
            request: { url: 'http://localhost', verb: 'POST', headers: {} },
            response: { headers, body: '{}' },
          },
        ],
      }) as unknown as CaseResult,
  )
const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'RateLimit' }

const leaks = { of: () => ({ where: 'body', expected: 'no secret', got: 'a secret' }), elsewhere: () => [] }

/** What the judge takes from a contract: terms, checks, headers of answers, charges, and the laws of results. */
const judged: Reader = (contract) => {
  const { variables: _, rules: __, networks: ___, ...terms } = contractTerms(contract)
  const checks = createChecks(contract)
  const chargeOf = createCharges(contract)
  const charge = (method: string) =>
    chargeOf({
      outgoing: { verb: 'POST', body: Buffer.from(JSON.stringify({ method })) },
      reply: { status: 200, text: '{"result":1}' },
    } as unknown as Parameters<typeof chargeOf>[0])
  return textOf([
    terms,
    answers.map((answer) => checks.envelope(answer).length > 0),
    contract.errors.map(({ code }) => checks.errorStatuses(code)),
    checks.areBatchesOrdered,
    [{}, { 'content-type': 'application/json' }, cors].map((headers) =>
      judgeHeaders(contract, answered(headers)),
    ),
    judgeSecrets(contract, answered({}), leaks),
    contract.methods.map(({ name }) => charge(name)),
    readLaws(contract),
    examplesOf(contract).map(({ method, params, result }) =>
      result === undefined
        ? []
        : [result, ...inOtherOrder(result)].map((value) => checks.result(method, params, value)),
    ),
  ])
}

/** Block 7 and its hash, as answers about the head gave them. */
function block7(): KnownHeads {
  const question: HeadQuestion = {
    ...{ method: 'head', params: ['latest'], number: '$.result.number', hash: '$.result.hash' },
    ...{ moving: ['latest'], unsettled: [], cachedMilliseconds: 0 },
  }
  const heads = new KnownHeads(question)
  const answer = { jsonrpc: '2.0', id: 1, result: { number: '0x7', hash: '0xabc' } }
  for (const value of ['latest', 'earliest', 'first']) {
    const outgoing = {
      methods: ['head'],
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'head', params: [value] }),
    }
    const reply = { status: 200, headers: [], text: JSON.stringify(answer) }
    heads.see({ outgoing, reply } as unknown as Exchange)
  }
  return heads
}

/** The spellings in which `conform` sends parameters, and the rules about them. */
const spelled: Reader = (contract) => {
  const heads = block7()
  const spellings = new Spellings(contract, heads, undefined)
  const calls = contract.methods.flatMap(({ name, params }) =>
    Array.from({ length: 10 }, (_, choice) =>
      spellings.spell(
        name,
        params.map(() => '0x7'),
        choice,
      ),
    ),
  )
  return textOf([statedSpellings(contract), spellingRules(contract), calls.map((call) => call?.params)])
}

/** The calls that `--explore` makes of a contract. */
const explored: Reader = (contract) =>
  textOf(exploredCases(contract, { calls: 12, seed: 1, mayCall: () => true }))

/** The requests that a server takes by the envelope. */
const taken: Reader = ({ info }) => {
  const read = createReadRequest(info['x-envelope'] as unknown as EnvelopeRules)
  const requests = [1, -1, 1.5, 'text', null, undefined].map((id) =>
    JSON.stringify({ jsonrpc: '2.0', method: 'm', params: [], id }),
  )
  return textOf(requests.map((text) => read(JSON.parse(text) as JsonValue, rawIds(text)[0])))
}

/** The preflight answer of a server with the headers of `x-http.cors`. */
const preflight: Reader = async ({ info }) => {
  const service = createService({ methods: {}, handlers: {} })
  const { cors } = info['x-http'] as unknown as { readonly cors: object }
  const handle = createFetchHandler({ service, cors })
  const { headers } = await handle(new Request('http://localhost', { method: 'OPTIONS' }))
  return textOf([...headers])
}

let loads = 0

/**
 * What the service makes of the extensions of methods, and of its own calls to nodes. Its modules read generated data
 * when they are loaded, so they are loaded again with the data of the contract.
 */
const served: Reader = async (contract) => {
  const replaced = contract.methods.map(
    ({ name, extensions: stated }) => [methods[name as keyof typeof methods], stated] as const,
  )
  const known = replaced.filter(([method]) => method !== undefined)
  const before = known.map(([method]) => method.extensions)
  const nodeCalls = extensions['x-node-calls']
  for (const [method, stated] of known) Object.assign(method, { extensions: stated })
  Object.assign(extensions, { 'x-node-calls': contract.info['x-node-calls'] ?? nodeCalls })
  loads += 1
  const load = (file: string) => import(`../../../src/service/gateway/${file}?contract=${loads}`)
  try {
    const { profileOf } = await load('profiles/method-profile.ts')
    const { concernedContracts } = await load('keys/access/concerned-contracts.ts')
    const { createAnswers } = await load('methods/answers.ts')
    const { nodeCall } = await load('profiles/node-calls.ts')
    const answer = createAnswers({
      cached: () => 'from the cache',
      call: () => Promise.reject(new TypeError('there is no node')),
      network: { chainId: 1, netVersion: 2 },
      nodeCallsPerSecond: 1,
    })
    const outcomes = await Promise.all(
      known
        .map(async ([{ name }]) =>
          answer(name, ['0x'], { request: {}, userId: 'a user', inBatch: false, holdLogs: () => true }),
        )
        .map((outcome) => outcome.catch(String)),
    )
    const calls = examplesOf(contract).filter(({ method }) => known.some(([{ name }]) => name === method))
    return textOf([
      outcomes,
      known.map(([{ name }]) => profileOf(name)),
      calls.map(({ method, params, result = null }) => {
        const { about } = profileOf(method)
        const subject = [
          about.selector(params),
          about.index?.(params),
          about.number(result),
          about.hash(result),
        ]
        return [method, subject, concernedContracts(method, params)]
      }),
      Object.keys(nodeCalls).map((purpose) =>
        nodeCall(purpose, { block: 1, state: 2, transaction: 3, transactions: 4, call: 5, tracing: 6 }),
      ),
    ])
  } finally {
    for (const [at, [method]] of known.entries()) Object.assign(method, { extensions: before[at] })
    Object.assign(extensions, { 'x-node-calls': nodeCalls })
  }
}

/** The limits that the published document has. */
const published: Reader = (contract) =>
  textOf(Object.keys((contract.published()['info'] as unknown as Members)['x-limits'] ?? {}))

/** How the service normalises the results of nodes. */
const normalised: Reader = ({ document }) =>
  textOf(readResultShapes(document as unknown as Parameters<typeof readResultShapes>[0]))

/** Everything that reads a contract, the fastest first. */
const readers: readonly Reader[] = [
  ...[
    generated('errors'),
    judged,
    normalised,
    served,
    taken,
    preflight,
    published,
    spelled,
    generated('conformance'),
    generated('client'),
  ],
  ...[generated('types'), generated('methods'), generated('service'), explored],
  ...[generated('validators'), generated('decoded')],
]
/** The reference, which reads what only people need: tags, servers, levels of rules. */
const reference = generated('reference')

/** What each reader makes of a contract. Readers are asked at the first use. */
export type Readings = readonly (() => string | Promise<string>)[]

/**
 * Returns what the readers make of a contract.
 * @throws ContractError if the contract is refused
 */
export function readingsOf(document: Members, withReference: boolean): Readings {
  const contract = parseContract(JSON.stringify(document))
  return [...readers, ...(withReference ? [reference] : [])].map((reader) => {
    let made: string | Promise<string> | undefined
    return () => {
      made ??= reader(contract)
      return made
    }
  })
}
