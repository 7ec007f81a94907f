import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { Client } from 'undici'
import { type Contract, isObject, type JsonValue, member } from '../../src/toolkit/contract/index.js'
import { createValues, unlessNone } from '../../src/toolkit/values/index.js'
import { jsonMutations, mutate, utf8 } from '../../test/support/mutations.js'
import { type NodeServer, type NodeServerRequest, sendAnswers } from '../../test/support/node-server.js'
import type { CalledService } from './callers.js'
import { type Direction, Finding } from './direction.js'
import { orNull } from './inputs/or-null.js'
import type { Call, RequestTexts } from './inputs/request-texts.js'
import { type AnswerJudge, deviation } from './judge-answers.js'

/** The reply of a node to one request. */
export interface NodeReply {
  readonly status: number
  readonly contentType: string
  /** The answer to each call, as Latin-1; `%ID%` is the id of the call. */
  readonly body: string
  /** Bytes by which `Content-Length` differs from the body: 0 or less, because more would only cause a timeout. */
  readonly lengthError: number
  /** True to close the connection in the middle of the body. */
  readonly isCut: boolean
}

/** A call, and the replies of the node, which it sends in turn. */
export interface NodeInput {
  readonly call: Call
  readonly replies: readonly NodeReply[]
}

/** Calls of the service's own health checks of nodes. They get valid answers. */
const checks = new Set(['eth_chainId', 'eth_syncing', 'eth_blockNumber'])

const isCheck = ({ calls }: NodeServerRequest) => calls.every(({ method }) => checks.has(method))

/**
 * Makes a node answer all calls with values that fit the contract.
 * @param fits validates the result of a call
 */
export function answerFromContract(
  node: NodeServer,
  contract: Contract,
  seed: number,
  fits: (call: Call, result: JsonValue) => boolean,
): void {
  const values = createValues(contract, { varied: true, small: true })
  const results = new Map(
    contract.methods.flatMap(({ name, result, examples }) => {
      if (result === undefined) return []
      const made = fc.sample(values.valid([result.schema]), { seed, numRuns: resultsOfMethod })
      const shown = examples.flatMap((example) =>
        example.result === undefined ? [] : [example.result.value],
      )
      return [[name, [...shown, ...made]] as const]
    }),
  )
  let turn = 0
  node.fault = (request, response) => {
    node.requests.length = 0
    if (isCheck(request)) return false
    sendAnswers(request, response, (call) => {
      const list = results.get(call.method)
      if (list === undefined) return { error: { code: -32601, message: 'method not found' } }
      turn += 1
      // Not every result fits the parameters, such as a block with hashes for a call that asks for transactions.
      for (let at = 0; at < list.length; at++) {
        const result = aboutSubject(list[(turn + at) % list.length] ?? null, call.params[0], node.head)
        if (fits(call, result)) return { result }
      }
      return { error: { code: -32000, message: 'not available' } }
    })
    return true
  }
}

const resultsOfMethod = 40

/** Gives a block, transaction or receipt the requested hash or number, as a correct node would. */
function aboutSubject(result: JsonValue, asked: JsonValue | undefined, head: number): JsonValue {
  if (!isObject(result)) return result
  const isHash = typeof asked === 'string' && asked.length === hashLength
  const number = typeof asked === 'string' && asked.startsWith('0x') ? asked : `0x${head.toString(16)}`
  const own: Readonly<Record<string, JsonValue>> = {
    hash: isHash ? asked : (member(result, 'hash') ?? null),
    transactionHash: isHash ? asked : null,
    number: isHash ? '0x1' : number,
    blockNumber: isHash ? '0x1' : number,
  }
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, own[name] ?? value]))
}

/** Length of 32 bytes in hexadecimal, with `0x`. */
const hashLength = 66

const anyValue = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>
const texts = [
  ...[
    'execution reverted',
    'execution reverted: no',
    'header not found',
    'unknown block',
    'missing trie node',
  ],
  ...[
    'query returned more than 10000 results',
    'nonce too low',
    'method not found',
    '\u0000',
    'x'.repeat(20_000),
  ],
]
const errorObject = fc.record(
  {
    code: fc.oneof(
      fc.constantFrom<JsonValue>(
        3,
        -32000,
        -32001,
        -32005,
        -32010,
        -32015,
        -32016,
        -32600,
        -32601,
        -32602,
        -32603,
      ),
      fc.integer(),
      anyValue,
    ),
    message: fc.oneof(fc.constantFrom<JsonValue>(...texts), anyValue),
    data: fc.oneof(fc.constantFrom<JsonValue>('0x', `0x08c379a0${'0'.repeat(128)}`, '0x1'), anyValue),
  },
  { requiredKeys: [] },
)

/** Creates replies to the calls of a method: valid, nearly valid and arbitrary ones. */
function repliesOf(contract: Contract): (method: string) => fc.Arbitrary<NodeReply> {
  const values = createValues(contract, { varied: true, small: true })
  const made = new Map(
    contract.methods.flatMap(({ name, result }) => {
      if (result === undefined) return []
      const broken = unlessNone(() => values.nearlyValid(result.schema))?.map(({ value }) => value)
      const nearly = broken && orNull(broken)
      return [[name, { valid: values.valid([result.schema]), nearly }] as const]
    }),
  )
  return (method) => {
    const { valid = anyValue, nearly } = made.get(method) ?? {}
    const result = fc.oneof(
      { weight: 4, arbitrary: valid },
      { weight: 6, arbitrary: nearly ?? anyValue },
      { weight: 2, arbitrary: anyValue },
    )
    const text = (value: unknown) => JSON.stringify(value)
    const envelope = fc.oneof(
      { weight: 8, arbitrary: result.map((value) => `{"jsonrpc":"2.0","id":%ID%,"result":${text(value)}}`) },
      {
        weight: 4,
        arbitrary: errorObject.map((error) => `{"jsonrpc":"2.0","id":%ID%,"error":${text(error)}}`),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(result, errorObject, fc.constantFrom('%ID%', 'null', '"%ID%"', '-1', '1e400', '[%ID%]'))
          .map(([value, error, id]) => `{"id":${id},"result":${text(value)},"error":${text(error)}}`),
      },
      { weight: 1, arbitrary: anyValue.map(text) },
      { weight: 1, arbitrary: fc.constantFrom('', '[]', '{}', '<html>', '{"jsonrpc":"2.0","id":%ID%}') },
    )
    const body = fc
      .tuple(envelope, fc.array(jsonMutations, { maxLength: 2 }), fc.nat(3))
      .map(([whole, changes, isWhole]) => (isWhole === 0 ? mutate(utf8(whole), changes) : utf8(whole)))
    return fc.record({
      status: fc.oneof(
        { weight: 9, arbitrary: fc.constant(200) },
        { weight: 1, arbitrary: fc.constantFrom(201, 204, 301, 400, 404, 413, 429, 500, 503) },
      ),
      contentType: fc.constantFrom('application/json', 'application/json', 'text/html', ''),
      body,
      lengthError: fc.oneof(
        { weight: 30, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: -3, max: -1 }) },
      ),
      isCut: fc.nat(40).map((place) => place === 1),
    })
  }
}

/** Creates the direction of a hostile node. Callers must receive a valid answer or a declared error. */
export function nodeDirection(
  service: CalledService,
  node: NodeServer,
  contract: Contract,
  requests: RequestTexts,
  judge: AnswerJudge,
): Direction<NodeInput> & { readonly close: () => Promise<void> } {
  const replies = repliesOf(contract)
  const client = new Client(service.origin, { headersTimeout: 120_000, bodyTimeout: 120_000 })
  let script: readonly NodeReply[] = []
  let turn = 0
  let sent: JsonValue[] = []
  /** Bodies with a deviation of the node, which the service may cache. */
  const deviations = new Set<string>()
  node.fault = (request, response) => {
    node.requests.length = 0
    const reply = script[turn % Math.max(1, script.length)]
    if (reply === undefined || isCheck(request)) return false
    turn += 1
    sent.push(...sendReply(request, response, reply))
    return true
  }
  return {
    name: 'nodes',
    // The replies belong to the calls of one input.
    atOnce: 1,
    inputs: requests.validCall.chain((call) =>
      fc.record({
        call: fc.constant(call),
        replies: fc.array(replies(call.method), { minLength: 1, maxLength: 3 }),
      }),
    ),
    close: () => client.destroy(),
    async send({ call, replies }) {
      script = replies
      turn = 0
      sent = []
      // A new block invalidates cached answers.
      node.head += 1
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
      const {
        statusCode,
        headers,
        body: answer,
      } = await client
        .request({
          path: `/${await service.keyFor(1)}`,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': service.newAddress() },
          body,
        })
        .catch((error) => {
          throw new Finding(`no answer: ${error.message}`)
        })
      const text = await answer.text().catch(() => undefined)
      script = []
      // The service closes the connection if the node fails after some logs were sent.
      if (text === undefined) return 'cut'
      // The answer was cached, and a health check of the node may have consumed the reply.
      if (deviations.has(text)) return deviation
      const received = { status: statusCode, contentType: String(headers['content-type'] ?? ''), text }
      const kind = judge.keyed(utf8(body), received, sent)
      if (kind === deviation) deviations.add(text)
      return turn === 0 ? 'without the node' : kind
    },
  }
}

/** Sends a reply. @returns the sent JSON; empty if the reply is not JSON */
function sendReply(
  { calls, isBatch }: NodeServerRequest,
  response: ServerResponse,
  reply: NodeReply,
): readonly JsonValue[] {
  const answers = calls.map(({ id }) => reply.body.replaceAll('%ID%', String(id)))
  const body = Buffer.from(isBatch ? `[${answers.join()}]` : (answers[0] ?? ''), 'latin1')
  const hasBody = ![204, 304].includes(reply.status)
  response.strictContentLength = false
  response.writeHead(reply.status, {
    ...(reply.contentType === '' ? {} : { 'content-type': reply.contentType }),
    ...(hasBody && { 'content-length': Math.max(0, body.length + reply.lengthError) }),
  })
  if (!reply.isCut) response.end(hasBody ? body : undefined)
  else response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy())
  const text = body.subarray(0, body.length + reply.lengthError).toString('utf8')
  return (hasBody && jsonIn(text)) || []
}

/** Parses a text as JSON, with null for numbers out of range. Returns undefined if it is not JSON. */
function jsonIn(text: string): readonly JsonValue[] | undefined {
  try {
    return [JSON.parse(JSON.stringify(JSON.parse(text))) as JsonValue]
  } catch {
    return undefined
  }
}
