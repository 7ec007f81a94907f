import { Agent, type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { httpMutations, mutate } from '../../test/support/mutations.js'
import { type Direction, Finding } from './direction.js'
import type { RequestTexts } from './inputs/request-texts.js'
import type { AnswerJudge, HttpAnswer } from './judge-answers.js'

/** An HTTP request. `{key}` in its path is replaced by the text of a key. */
export interface HttpInput {
  readonly verb: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Bytes as Latin-1. */
  readonly body: string
}

/** Bytes of a connection, as Latin-1. `{key}` is replaced by the text of a key. */
export interface RawInput {
  readonly bytes: string
}

/** The service that callers reach. */
export interface CalledService {
  readonly origin: string
  /** Returns the text of a key with enough requests left. @param cost requests that are about to be charged */
  readonly keyFor: (cost: number) => Promise<string>
  /** Returns a client address that was not used before. */
  readonly newAddress: () => string
}

const keyedPaths = ['/{key}', '/v2/{key}', '/json-rpc/{key}']
const json: readonly [string, string] = ['content-type', 'application/json']

const contentTypes = [
  ...['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=utf-16', 'text/plain'],
  ...[
    'application/json-rpc',
    '',
    ';',
    'application/json; charset="utf-8"',
    'application/x-www-form-urlencoded',
  ],
]
const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 30 }).map((text) => text.trim())
const header: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(fc.constant('content-type'), fc.constantFrom(...contentTypes)),
  fc.tuple(fc.constant('accept-encoding'), fc.constantFrom('gzip', 'br, gzip;q=0', '*', 'identity;q=0')),
  fc.tuple(fc.constant('content-encoding'), fc.constantFrom('gzip', 'identity', 'br', '')),
  fc.tuple(
    fc.constant('authorization'),
    fc.constantFrom('Bearer x', 'Bearer a.b.c', 'Basic eDp5', 'Bearer '),
  ),
  fc.tuple(
    fc.constant('traceparent'),
    fc.constantFrom(`00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, '00-0-0-0', 'x'),
  ),
  fc.tuple(
    fc.constantFrom(
      'x-request-id',
      'origin',
      'cookie',
      'accept',
      'x-forwarded-proto',
      'referer',
      'user-agent',
      'x-a',
    ),
    printable,
  ),
)

const oddPaths = fc.oneof(
  fc.constantFrom(
    ...[
      '/',
      '/v2',
      '/v2/',
      '/json-rpc',
      '/{key}/',
      '/{key}?x',
      '//{key}',
      '/%7Bkey%7D',
      '/{key}%00',
      '/{key}/..',
    ],
    ...[
      '/docs',
      '/healthz',
      '/readyz',
      '/metrics',
      '/favicon.ico',
      '/__proto__',
      '/v2/constructor',
      '/%E0%A4%A',
    ],
    ...[
      `/${'B'.repeat(30)}-T`,
      `/${'B'.repeat(30)}-Z`,
      `/${'a'.repeat(4_000)}`,
      '/*',
      '/assets/../..',
      '/status',
    ],
  ),
  fc.webPath(),
)

/** Requests as HTTP clients can send them. */
function httpInputs({ body }: RequestTexts): fc.Arbitrary<HttpInput> {
  const usual = fc.record({
    verb: fc.constant('POST'),
    path: fc.constantFrom(...keyedPaths),
    headers: fc.constant([json]),
    body,
  })
  const unusual = fc.record({
    verb: fc.constantFrom('POST', 'POST', 'GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'),
    path: fc.oneof(fc.constantFrom(...keyedPaths), oddPaths),
    headers: fc.array(header, { maxLength: 4 }).map((list) => [json, ...list]),
    body,
  })
  return fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: unusual })
}

/** Creates the direction that sends well-formed requests to the service. */
export function httpDirection(
  service: CalledService,
  requests: RequestTexts,
  judge: AnswerJudge,
): Direction<HttpInput> & { readonly close: () => Promise<void> } {
  const { hostname, port } = new URL(service.origin)
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  return {
    name: 'callers',
    atOnce: 32,
    inputs: httpInputs(requests),
    close: async () => agent.destroy(),
    async send(input) {
      const { verb, path, body } = input
      const key = await service.keyFor(1 + body.split('"method"').length)
      const hasBody = !['GET', 'HEAD'].includes(verb)
      const bytes = hasBody ? Buffer.from(body, 'latin1') : undefined
      const added = [
        ['host', 'a'],
        ['x-forwarded-for', service.newAddress()],
        ...(bytes === undefined ? [] : [['content-length', String(bytes.length)]]),
      ]
      const headers = [...input.headers, ...added].flat()
      const answer = await ask(
        { agent, host: hostname, port, method: verb, path: path.replace('{key}', key), headers },
        bytes,
      )
      if (answer === undefined) return 'closed'
      const isKeyed = verb === 'POST' && keyedPaths.includes(path)
      return isKeyed ? judge.keyed(body, answer) : judge.any(answer)
    },
  }
}

/** Sends a request. @returns undefined if the service refused it and closed the connection before the body was sent */
function ask(options: RequestOptions, body: Buffer | undefined): Promise<HttpAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const message = request(options, (response) => {
      const { statusCode: status = 0, headers } = response
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => resolve(undefined))
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const isZipped = headers['content-encoding'] === 'gzip' && bytes.length > 0
        const text = (isZipped ? gunzipSync(bytes) : bytes).toString('utf8')
        resolve({ status, contentType: headers['content-type'] ?? '', text })
      })
    })
    message.setTimeout(answerPatience, () => reject(new Finding(`no answer in ${answerPatience} ms`)))
    message.on('error', () => resolve(undefined))
    message.end(body)
  })
}

/** Timeout of an answer in milliseconds, longer than every timeout of the contract. */
const answerPatience = 120_000

/** Milliseconds without an answer after which the sender closes its side. */
const patience = 100
/** Milliseconds after which a connection without an answer, whose sender has closed its side, is a finding. */
const patienceAtEnd = 60_000

/** Creates the direction that sends requests with changed bytes, and judges every answer on their connections. */
export function rawDirection(
  service: CalledService,
  requests: RequestTexts,
  judge: AnswerJudge,
): Direction<RawInput> {
  const { hostname, port } = new URL(service.origin)
  const inputs = fc
    .record({
      request: httpInputs(requests),
      changes: fc.array(httpMutations, { minLength: 1, maxLength: 4 }),
    })
    .map(({ request, changes }) => ({ bytes: mutate(httpBytes(request), changes) }))
  return {
    name: 'bytes',
    atOnce: 64,
    inputs,
    async send({ bytes }) {
      const key = await service.keyFor(1 + bytes.split('"method"').length)
      const text = await exchange({ host: hostname, port: Number(port) }, bytes.replaceAll('{key}', key))
      // The answer to HEAD has a content length, but no body.
      const answers = answersIn(text, bytes.includes('HEAD') ? 1 : Number.POSITIVE_INFINITY)
      for (const answer of answers) judge.any(answer)
      return answers.length === 0 ? 'closed' : `HTTP ${answers.map(({ status }) => status)[0]}`
    },
  }
}

function httpBytes({ verb, path, headers, body }: HttpInput): string {
  const lines = [...headers, ['Content-Length', String(body.length)]].map(
    ([name, value]) => `${name}: ${value}`,
  )
  return [`${verb} ${path} HTTP/1.1`, 'Host: a', ...lines, '', body].join('\r\n')
}

/** Sends bytes on a connection, and returns everything that the service sends on it. */
function exchange(address: { host: string; port: number }, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ ...address, noDelay: true })
    socket.setEncoding('latin1')
    const end = setTimeout(() => socket.end(), patience)
    const limit = setTimeout(() => {
      socket.destroy()
      reject(new Finding('the connection stays open after both sides are done'))
    }, patienceAtEnd)
    socket.on('data', (piece) => {
      text += piece
      end.refresh()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(end)
      clearTimeout(limit)
      resolve(text)
    })
    socket.write(bytes, 'latin1')
  })
}

/** Returns the answers of a connection up to the first incomplete, chunked or compressed one. */
function answersIn(text: string, most: number): readonly HttpAnswer[] {
  const answers: HttpAnswer[] = []
  for (let rest = text; rest !== '' && answers.length < most; ) {
    const headEnd = rest.indexOf('\r\n\r\n')
    const head = rest.slice(0, headEnd)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0)
    if (headEnd < 0 || status === 0) throw new Finding('the answer is not HTTP')
    const contentType = /^content-type: (.*)$/im.exec(head)?.[1]?.trim() ?? ''
    const length = /^content-length: (\d+)\s*$/im.exec(head)?.[1]
    const isChunked = /^transfer-encoding: chunked\s*$/im.test(head)
    if (isChunked || /^content-encoding: gzip/im.test(head)) return answers
    const body = rest.slice(headEnd + 4, headEnd + 4 + Number(length ?? 0))
    if (body.length < Number(length ?? 0)) return answers
    answers.push({ status, contentType, text: Buffer.from(body, 'latin1').toString('utf8') })
    rest = rest.slice(headEnd + 4 + body.length)
    if (status === 101) break
  }
  return answers
}
