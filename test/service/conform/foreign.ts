import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Report } from '../../../src/judge/index.js'
import { runConcordat } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

/** A service without this package, and a contract without extensions. */
const number = { type: 'number' }
const method = (name: string, paramStructure: string, effect: object = {}) => ({
  name,
  paramStructure,
  ...effect,
  params: [
    { name: 'one', required: true, schema: number },
    { name: 'other', required: true, schema: number },
  ],
  result: { name: 'answer', schema: number },
  errors: [{ code: -32602, message: 'Invalid params' }],
})
const contract = {
  openrpc: '1.3.2',
  info: { title: 'Arithmetic', version: '3.0.0' },
  methods: [method('sum', 'by-name'), method('product', 'by-position'), method('quotient', 'by-name')],
}

const token = 'Bearer Rr8Ss7Tt6Uu5Vv4Ww3Xx2Yy1Zz0'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

const work: Readonly<Record<string, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  product: (one, other) => one * other,
}

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The id of a request in its notation; undefined when it is missing. */
const failure = (code: number, message: string, id: string) =>
  `{"jsonrpc":"2.0","error":${JSON.stringify({ code, message })},"id":${id}}`

function answer(request: Json, ids: Iterator<string>): string | undefined {
  if (!isObject(request)) return failure(-32600, 'Invalid Request', 'null')
  const id = 'id' in request ? String(ids.next().value) : undefined
  if (typeof request['method'] !== 'string' || request['jsonrpc'] !== '2.0') {
    return failure(-32600, 'Invalid Request', id ?? 'null')
  }
  const params = request['params'] ?? []
  if (typeof params !== 'object') return failure(-32600, 'Invalid Request', id ?? 'null')
  if (id === undefined) return undefined
  const run = work[request['method']]
  if (run === undefined) return failure(-32601, 'Method not found', id)
  const isByName = request['method'] === 'sum'
  const given = isByName && isObject(params) ? [params['one'], params['other']] : params
  const isWellFormed =
    Array.isArray(given) &&
    isByName === isObject(params) &&
    given.length === 2 &&
    given.every((value) => typeof value === 'number')
  if (!isWellFormed) return failure(-32602, 'Invalid params', id)
  return `{"jsonrpc":"2.0","result":${run(given[0] as number, given[1] as number)},"id":${id}}`
}

/** The answer to a body. Batches are answered in reverse, because any order is valid. */
function respond(body: string): string {
  let value: Json
  try {
    value = JSON.parse(body)
  } catch {
    return failure(-32700, 'Parse error', 'null')
  }
  const ids = [...body.matchAll(/"id":("[^"]*"|[^,}]+)/g)].map(([, id = '']) => id).values()
  if (!Array.isArray(value)) return answer(value, ids) ?? ''
  if (value.length === 0) return failure(-32600, 'Invalid Request', 'null')
  const answers = value.map((item) => answer(item, ids)).filter((text) => text !== undefined)
  return answers.length === 0 ? '' : `[${answers.reverse().join(',')}]`
}

async function startArithmetic(t: Test) {
  const methods: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    if (request.headers.authorization !== token) {
      response.writeHead(401, { 'content-type': 'text/plain' }).end('Who are you?')
      return
    }
    methods.push(...[...body.matchAll(/"method":"([^"]+)"/g)].map(([, name = '']) => name))
    const text = respond(body)
    response.writeHead(text === '' ? 204 : 200, { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const document = join(await temporaryFolder(t), 'arithmetic.json')
  await writeFile(document, JSON.stringify(contract))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rpc`
  return {
    methods,
    conform: async (...args: readonly string[]) => {
      const { code, out, err } = await runConcordat(['conform', url, '--contract', document, ...args])
      t.notMatch(out + err, token.slice(7), 'the token is never shown')
      return { code, out, err }
    },
  }
}

const withToken = ['--header', `Authorization: ${token}`]

t.test(
  'a foreign contract: the rules of JSON-RPC are checked, and every method declared as reading',
  async (t) => {
    const { conform, methods } = await startArithmetic(t)
    const { code, out, err } = await conform(
      ...withToken,
      '--assume-read',
      'sum',
      '--assume-read',
      'product',
      '--report',
      'json=-',
    )
    const { cases }: Report = JSON.parse(out)
    const those = (verdict: string) => cases.filter((each) => each.verdict === verdict)
    t.same(
      those('fail').map(({ id, reason }) => `${id}: ${reason}`),
      [],
    )
    t.equal(code, 0, err)
    t.same(
      those('tolerated').map(({ id }) => id),
      ['json-rpc/discover', 'derived/sum/one-more'],
    )
    const passed = those('pass').map(({ id }) => id)
    for (const id of [
      'json-rpc/parse-error',
      'json-rpc/id-large',
      'json-rpc/notification',
      'json-rpc/batch',
      'json-rpc/batch-empty',
      'derived/sum/without-one',
      'derived/product/without-one',
    ]) {
      t.ok(passed.includes(id), id)
    }
    t.ok(methods.includes('sum') && methods.includes('product'))
    t.notOk(methods.includes('quotient'), 'without a declared effect')
    t.match(
      new Set(those('not-run').map(({ reason }) => reason)),
      new Set([/what "quotient" does\. If it only reads, use --assume-read "quotient"/]),
    )
  },
)

t.test('without declared effects only --assume-read allows calls, and the report says so', async (t) => {
  const { conform, methods } = await startArithmetic(t)
  const { code, out, err } = await conform(...withToken)
  t.equal(code, 2)
  t.match(err, 'no method was answered')
  t.match(out, /json-rpc +█+ +19 passed, 1 tolerated/)
  t.match(
    out,
    /not run +The contract does not say what "sum" does\. If it only reads, use --assume-read "sum"/,
  )
  t.same(new Set(methods), new Set(['concordatNoSuchMethod', 'rpc.discover']))
})

t.test('a service that refuses the credentials is reported once, not case by case', async (t) => {
  const { conform } = await startArithmetic(t)
  for (const args of [[], ['--header', 'Authorization: Bearer Aa0Bb1Cc2Dd3Ee4Ff5Gg6']]) {
    const { code, out, err } = await conform(...args)
    t.equal(code, 2)
    t.equal(out, '')
    t.match(err, /denies access \(HTTP 401\): check the key in the URL and --header$/m)
  }
})

t.test('a contract with its own envelope rules replaces those of JSON-RPC', async (t) => {
  const document = join(await temporaryFolder(t), 'own.json')
  const info = { ...contract.info, 'x-envelope': { response: true } }
  await writeFile(document, JSON.stringify({ ...contract, info }))
  const { code, out } = await runConcordat(['conform', '--contract', document, '--list'])
  t.equal(code, 0)
  t.match(out, /^derived\/sum\//m)
  t.notMatch(out, /^json-rpc\//m)
})
