import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { parse } from 'yaml'
import { limits } from '../../generated/contract.js'
import { readSettings } from '../../src/service/gateway/index.js'
import { replaced } from '../support/balancer.js'
import { freePort } from '../support/free-port.js'
import { openGuide } from '../support/guide.js'
import { startShippedHaproxy } from '../support/haproxy.js'
import { startHeldNode } from '../support/held-node.js'
import { startShippedNginx } from '../support/nginx.js'
import { call, post, startService } from '../support/service.js'
import { findTool } from '../support/tools.js'
import { until } from '../support/until.js'
import { createVisitor, newAddress, password } from '../support/visitor.js'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('../../deploy/', import.meta.url))
const read = (name: string) => readFile(join(folder, name), 'utf8')
const home = await mkdtemp(join(tmpdir(), 'concordat-deploy-'))
t.teardown(() => rm(home, { recursive: true, force: true }))

const tls = new URL('../fixtures/tls/', import.meta.url)
const certificateFile = fileURLToPath(new URL('certificate.pem', tls))
const secrets = {
  DATABASE_URL: 'postgres://ada:secret@127.0.0.1/concordat',
  CONCORDAT_SECRET: 's'.repeat(32),
  MAIL_URL: 'smtp://ada:secret@127.0.0.1:2525?from=ada@example.net',
  NODE_A_TOKEN: 'token',
  PROVIDER_KEY: 'key',
}

/** Editors ignore our annotations and do not know the formats of settings. */
const compile = (schema: object) => new Ajv2020({ strict: false, validateFormats: false }).compile(schema)

t.test('the example configuration is valid', async (t) => {
  const text = await read('concordat.yaml')
  const file = { name: 'concordat.yaml', text }
  const { DATABASE_URL: _, ...incomplete } = secrets
  t.throws(() => readSettings(incomplete, { file }), /DATABASE_URL/)
  const settings = readSettings(secrets, { file })
  t.match(settings, { databaseUrl: secrets.DATABASE_URL, smtpUrl: secrets.MAIL_URL })
  t.match(settings.nodes.main, [
    { name: 'node-a', weight: 3, headers: { authorization: 'Bearer token' } },
    { name: 'provider', url: 'https://provider.example.net/v2/key', weight: 0 },
  ])
  // The guides also run commands without the file, in the environment of the service.
  t.match(readSettings(secrets, {}), { databaseUrl: secrets.DATABASE_URL, secret: secrets.CONCORDAT_SECRET })
  const schema = JSON.parse(await read('concordat.schema.json'))
  const validate = compile(schema)
  t.ok(validate(parse(text)), JSON.stringify(validate.errors))
  t.same(settings.tuning, readSettings({}, {}).tuning, 'the shown tuning is the default')
})

t.test('the schema refuses what the service refuses', async (t) => {
  const validate = compile(JSON.parse(await read('concordat.schema.json')))
  for (const wrong of [
    { hots: 'x' },
    { port: 65536 },
    { nodes: { test: [{ name: 'a' }] } },
    { logLevel: 'loud' },
    { nodes: { other: ['http://127.0.0.1:1'] } },
    { tuning: { batchCallsAtOnce: 0 } },
    { tuning: { leaseRequest: 1 } },
    { limits: { requestsPerDay: 25_001 } },
  ]) {
    t.notOk(validate(wrong), JSON.stringify(wrong))
    const file = { name: 'F', text: JSON.stringify(wrong) }
    t.throws(() => readSettings({}, { file }))
  }
})

t.test('systemd accepts the unit and its hardening', async (t) => {
  const analyze = await findTool('systemd')
  // The unit is adapted to the place of node, as its readers do.
  const unit = join(home, 'concordat.service')
  await writeFile(unit, (await read('concordat.service')).replace('/usr/bin/node', process.execPath))
  t.match(await readFile(unit, 'utf8'), /^StartLimitIntervalSec=0$/m, 'the database may be away for long')
  const { stderr } = await run(analyze, ['verify', unit])
  t.equal(stderr, '')
})

t.test('nginx accepts its configuration, and forwards the caller’s address to the service', async (t) => {
  const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x10' })
  t.teardown(() => node.close())
  const [port, securePort] = [await freePort(), await freePort()]
  const innerSecure = `127.0.0.1:${await freePort()}`
  const service = await startService({
    env: {
      CONCORDAT_PUBLIC_URL_DASHBOARD: `http://127.0.0.1:${port}`,
      CONCORDAT_NODES_TEST: node.url,
      CONCORDAT_NODES_MAIN: node.url,
      CONCORDAT_TRUSTED_PROXIES: '127.0.0.1',
      CONCORDAT_METRICS_PORT: '0',
    },
  })
  t.teardown(() => service.stop())
  const nginx = await startShippedNginx(t, [service.origin], {
    port,
    change: (site) =>
      replaced(
        // The test uses the lines for a certificate, which ship as comments.
        site.replace(/^( *)# (listen \S+ ssl proxy_protocol|ssl_\w+ \S+);$/gm, '$1$2;'),
        [
          ['127.0.0.1:8078', innerSecure],
          ['/etc/ssl/certs/rpc.example.net.pem', certificateFile],
          ['/etc/ssl/private/rpc.example.net.key', fileURLToPath(new URL('key.pem', tls))],
        ],
      ),
    changeStream: (stream) =>
      replaced(
        stream.replace(/^ {2}# ( *server \{| *listen 443 .*;| *proxy_pass \S+:8078;| *\})$/gm, '  $1'),
        [
          ['  listen 443 ', `  listen 127.0.0.1:${securePort} `],
          ['127.0.0.1:8078', innerSecure],
        ],
      ),
  })
  const { pathname } = new URL(service.networks.test.url)
  const url = `http://127.0.0.1:${port}${pathname}`
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
  t.equal((await post(url, call)).json.result, '0x1f')

  const visitor = createVisitor(`http://127.0.0.1:${port}`)
  const signedUp = await visitor.post('/signup', { email: newAddress(), password })
  t.equal(signedUp.status, 303, 'forms of the dashboard are accepted on a non-standard port')

  const outside = request(`http://127.0.0.1:${port}/x`, {
    method: 'POST',
    localAddress: '127.0.0.2',
    headers: { 'x-forwarded-for': '192.0.2.1' },
  }).end()
  const [refusal] = (await once(outside, 'response')) as [IncomingMessage]
  refusal.resume()
  t.equal(refusal.statusCode, 401)
  const id = String(refusal.headers['x-request-id'])
  t.match(id, /^[0-9a-f]{32}$/, 'from nginx itself')
  await until(() => lineOf(service.output().err, id) !== undefined)
  t.match(
    JSON.parse(lineOf(service.output().err, id) ?? ''),
    { address: '127.0.0.2' },
    'and not the one that a caller claims',
  )

  const secure = requestSecurely(`https://127.0.0.1:${securePort}${pathname}`, {
    method: 'POST',
    ca: await readFile(certificateFile),
    headers: { 'content-type': 'application/json' },
  }).end(JSON.stringify(call))
  const [overTls] = (await once(secure, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of overTls) chunks.push(chunk)
  t.match(JSON.parse(Buffer.concat(chunks).toString()), { id: 1, result: '0x1f' }, 'over TLS')

  const { requestsAtOncePerUser, queuedRequestsPerUser } = limits
  const gasPrice = { ...call, method: 'eth_gasPrice' }
  const most = Array.from({ length: requestsAtOncePerUser + queuedRequestsPerUser }, () =>
    post(url, gasPrice),
  )
  const queued = `\nconcordat_queued_requests ${queuedRequestsPerUser}\n`
  await until(async () => (await (await fetch(service.metrics ?? '')).text()).includes(queued))
  t.match(await post(url, gasPrice), { status: 429, json: { error: { code: -32005 } } }, 'from the service')
  node.release('eth_gasPrice', '0x1')
  const statuses = (await Promise.all(most)).map(({ status }) => status)
  t.same(new Set(statuses), new Set([200]), 'one address may have all requests of a user in progress')

  const tooLarge = await post(url, JSON.stringify(call).padEnd(5 * 1024 * 1024 + 1))
  t.match(tooLarge, { status: 413, json: { error: { code: -32600 } } }, 'the answer of the service')
  const own = (json: object) => ({ json: { jsonrpc: '2.0', id: null, error: json } })
  const told = (answer: Awaited<ReturnType<typeof post>>) => [
    answer.headers.get('content-type'),
    answer.headers.get('access-control-allow-origin'),
    answer.headers.get('retry-after'),
  ]
  const farTooLarge = await post(url, JSON.stringify(call).padEnd(6 * 1024 * 1024 + 1))
  t.match(farTooLarge, {
    status: 413,
    ...own({ code: -32600, message: /^The body has more than 5242880 bytes/, data: { limit: 5_242_880 } }),
  })
  t.same(told(farTooLarge), ['application/json', '*', null])
  const flooded = await post(url, call, { 'x-flood': 'x'.repeat(40_000) })
  t.match(flooded, {
    status: 431,
    ...own({ code: -32600, message: /^The request headers are too large/, data: { limit: 16_384 } }),
  })
  t.same(told(flooded), ['application/json', '*', null])
  await service.stop()
  const gone = await post(url, call)
  t.match(gone, { status: 503, ...own({ code: -32002, message: 'The service cannot be reached' }) })
  t.same(told(gone), ['application/json', '*', '1'], 'and a call may be retried')
  const logs = await nginx.logs()
  t.match(logs, id)
  t.notMatch(logs, pathname, 'its logs contain no key')
})

t.test('nginx repeats a call whose connection the service closed, and never a form', async (t) => {
  const asked: string[] = []
  const hosts = new Set<string | undefined>()
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    hosts.add(request.headers['x-forwarded-host']?.toString())
    if (asked.length > 1) response.end('done')
    else request.socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { origin } = await startShippedNginx(t, [service, service])
  const send = async (path: string) => {
    asked.length = 0
    const headers = { 'x-forwarded-host': 'evil.example' }
    const answer = await fetch(`${origin}${path}`, { method: 'POST', body: '{}', headers })
    return { status: answer.status, text: await answer.text() }
  }
  const key = `${'a1'.repeat(15)}-T`
  for (const path of [`/${key}`, `/v2/${key}`, `/json-rpc/${key}`]) {
    t.same(await send(path), { status: 200, text: 'done' }, path)
    t.same(asked, [path, path])
  }
  for (const path of ['/keys', '/signup', '/v2/nothing']) {
    t.match(await send(path), { status: 503, text: /Try again/ }, path)
    t.same(asked, [path])
  }
  t.same(hosts, new Set([undefined]), 'a host that a caller names is not forwarded')
})

/** The files for X-Forwarded-For of another proxy, as their comments tell operators. */
const behindProxy = {
  nginx: (site: string) =>
    site.replace(
      /listen 127.0.0.1:8079 .*\n.*\n.*\n/,
      'listen 127.0.0.1:8079; set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For; real_ip_recursive on;\n',
    ),
  nginxStream: (stream: string) => stream.replace('proxy_protocol on;', ''),
  haproxy: (text: string) =>
    text.replace(/^ +tcp-request .*\n/gm, '').replace(/^ +# +(http-request \S+ (?:req|src).*)$/gm, '  $1'),
} as const

for (const [name, start] of Object.entries({
  nginx: (origin: string) => startShippedNginx(t, [origin]).then((nginx) => nginx.origin),
  HAProxy: (origin: string) => startShippedHaproxy(t, [{ origin, metrics: origin }]),
  'nginx behind a proxy': (origin: string) =>
    startShippedNginx(t, [origin], {
      change: behindProxy.nginx,
      changeStream: behindProxy.nginxStream,
    }).then((nginx) => nginx.origin),
  'HAProxy behind a proxy': (origin: string) =>
    startShippedHaproxy(t, [{ origin, metrics: origin }], { change: behindProxy.haproxy }),
}))
  t.test(`${name}: connections of one address beyond the limit get a JSON-RPC error`, async (t) => {
    const service = createServer((_request, response) => response.end('done')).listen(0, '127.0.0.1')
    await once(service, 'listening')
    t.teardown(() => service.close())
    const origin = await start(`http://127.0.0.1:${(service.address() as AddressInfo).port}`)
    const [, most = ''] = /limit_conn concordat_callers (\d+);/.exec(await read('nginx.conf')) ?? []
    t.match(await read('haproxy.cfg'), `sc0_conn_cur gt ${most}`, 'in both files')
    const path = `/${'a1'.repeat(15)}-T`
    const isBehind = name.endsWith('proxy')
    const from = (caller: number) =>
      isBehind ? { 'x-forwarded-for': `192.0.2.${caller}` } : { localAddress: `127.0.0.${caller}` }
    const answers: string[] = []
    // Requests whose bodies never arrive.
    const waiting = Array.from({ length: Number(most) + 50 }, () => {
      const socket = connect({ port: Number(new URL(origin).port), host: '127.0.0.1', ...from(7) })
      socket.on('error', () => undefined)
      socket.on('data', (answer) => answers.push(String(answer)))
      const header = isBehind ? 'x-forwarded-for: 192.0.2.7\r\n' : ''
      socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${header}content-length: 2\r\n\r\n`)
      return socket
    })
    t.teardown(() => {
      for (const socket of waiting) socket.destroy()
    })
    const [head = '', body = ''] = (await until(() => answers[0])).split('\r\n\r\n')
    t.match(head, /^HTTP\/1.1 429 /)
    t.match(head, /^retry-after: 1\r?$/im)
    t.match(head, /^access-control-allow-origin: \*\r?$/im)
    t.match(JSON.parse(body), { jsonrpc: '2.0', id: null, error: { code: -32005 } })
    const { localAddress, ...headers } = { localAddress: undefined, ...from(8) }
    const asked = request(`${origin}${path}`, { method: 'POST', localAddress, headers }).end('{}')
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    response.resume()
    t.equal(response.statusCode, 200, 'another address')
  })

const lineOf = (text: string, id: string) => text.split('\n').find((line) => line.includes(id))

t.test('the configuration in the operator guide is valid', async (t) => {
  const guide = await readFile(join(folder, '..', 'docs', 'operator.md'), 'utf8')
  const [, text = ''] = /^## Serve it$.*?^```yaml\n(.*?)^```/ms.exec(guide) ?? []
  const env = { NODE_TOKEN: 'token', PROVIDER_KEY: 'key' }
  const { nodes } = readSettings(env, { file: { name: 'F', text } })
  t.match(nodes.main, [
    { name: 'node-a', headers: { authorization: 'Bearer token' } },
    { url: 'https://provider.example.net/v2/key', weight: 0 },
  ])
})

t.test('the commands of the README serve a configuration file and create a key', async (t) => {
  const node = await startHeldNode({ eth_chainId: '0x1f', eth_blockNumber: '0x97f' })
  t.teardown(() => node.close())
  const cwd = join(home, 'etc')
  await mkdir(cwd)
  const settings = {
    ...{ host: '127.0.0.1', port: 0, dataFolder: join(cwd, 'data'), networks: ['test'] },
    nodes: { test: [{ url: node.url, headers: { authorization: 'Bearer ${NODE_TOKEN}' } }] },
  }
  await writeFile(join(cwd, 'concordat.yaml'), JSON.stringify(settings))
  await writeFile(join(cwd, 'environment'), 'NODE_TOKEN=token\n')
  const [serve, create] = (await openGuide('deploy/README.md')).commands()
  const launcher = join(folder, '..', 'bin', 'concordat.js')
  const machine = {
    cwd,
    places: { '/etc/concordat': cwd },
    functions: `concordat() { node '${launcher}' "$@"; }; runuser() { shift 3; "$@"; }`,
  }
  const started = serve?.start({ ...machine, env: { NODE_TOKEN: 'token' } })
  const [, origin = ''] = (await started?.said(/"urls":\["(http:[^"]+)"/)) ?? []
  const created = await create?.run(machine)
  t.equal(created?.code, 0, created?.output ?? '')
  const { pathname } = new URL(/http:\S+/.exec(created?.output ?? '')?.[0] ?? '')
  t.equal(await call(new URL(pathname, origin).href, 'eth_blockNumber'), '0x97f')
  t.equal((await started?.stop())?.code, 0)
})
