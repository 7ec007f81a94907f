import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { shellWord } from '../../../../src/judge/index.js'
import { curlLine } from '../../../../src/judge/record/curl-line.js'
import type { Outgoing } from '../../../../src/judge/send/exchange.js'
import { findTool } from '../../../support/tools.js'
import { ownKey, startDeployment } from '../run/deployment.js'

const execute = promisify(execFile)
interface Row {
  readonly name: string
  readonly path?: string
  readonly verb?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly line?: RegExp
}

const json = { 'content-type': 'application/json' }

const rows: readonly Row[] = [
  {
    name: 'a call',
    headers: json,
    body: '{"id":1,"method":"it\'s"}',
    line: /^curl -s "\$RPC_URL" -H 'content-type: /,
  },
  { name: 'a body that begins with @', headers: json, body: '@file', line: /--data-raw @file$/ },
  { name: 'a body with a line break', headers: json, body: '{\r\n}\n' },
  {
    name: 'bytes that are not text',
    headers: json,
    body: new Uint8Array([0x7b, 0xff, 0x00, 0x25, 0x27, 0x5c]),
    line: /^printf /,
  },
  { name: 'no media type', headers: {}, body: '{}', line: /-H content-type:/ },
  {
    name: 'another path form',
    path: `/v2/${ownKey}`,
    headers: json,
    body: '{}',
    line: /"\$\{RPC_URL%\/\*\}\/v2\/\$\{RPC_URL##\*\/\}"/,
  },
  { name: 'an invalid key', path: '/a`b$c"d', headers: json, body: '{}' },
  { name: 'a request without a body', verb: 'GET', line: /^curl -s "\$RPC_URL"$/ },
  { name: 'a POST without a body', verb: 'POST', line: /-X POST/ },
  { name: 'OPTIONS', verb: 'OPTIONS', headers: { origin: 'https://example.com' } },
  { name: 'HEAD', verb: 'HEAD', line: /-I$/ },
  { name: 'PUT with a body', verb: 'PUT', headers: json, body: '{}' },
]

for (const { name, path, verb = 'POST', headers = {}, body, line: form } of rows) {
  t.test(`the curl line for ${name} sends the same request without the key`, async (t) => {
    await findTool('curl')
    const deployment = await startDeployment(t, () => ({ body: 'ok' }))
    const outgoing: Outgoing = {
      verb,
      url: path === undefined ? deployment.url : `${deployment.origin}${path}`,
      headers,
      body: typeof body === 'string' ? Buffer.from(body) : body,
      methods: undefined,
      billed: 1,
      builtIn: false,
      effect: 'read',
    }
    const line = curlLine(outgoing, deployment.url)
    t.notMatch(line, ownKey)
    if (form !== undefined) t.match(line, form)
    await execute('sh', ['-c', line], { env: { PATH: process.env['PATH'], RPC_URL: deployment.url } })
    const [got] = deployment.requests
    t.match(got, { verb, path: path ?? `/${ownKey}` })
    t.equal(got?.body, body === undefined ? '' : Buffer.from(body).toString('utf8'))
    t.equal(got?.headers['content-type'], headers['content-type'])
    if (headers['origin'] !== undefined) t.equal(got?.headers.origin, headers['origin'])
  })
}

t.test('a long body is omitted from the line, which states its length', async (t) => {
  const url = `http://127.0.0.1:1/${ownKey}`
  const outgoing: Outgoing = {
    verb: 'POST',
    url,
    headers: json,
    body: Buffer.alloc(9000, 'x'),
    methods: undefined,
    billed: 1,
    builtIn: false,
    effect: 'read',
  }
  t.match(curlLine(outgoing, url), /--data-binary @body {4}# a body of 9000 bytes$/)
})

t.test('shell words are quoted where necessary', async (t) => {
  t.equal(shellWord('a/b-c.d'), 'a/b-c.d')
  t.equal(shellWord("it's"), `'it'\\''s'`)
  t.equal(shellWord(''), "''")
  t.equal(shellWord('a b'), "'a b'")
})
