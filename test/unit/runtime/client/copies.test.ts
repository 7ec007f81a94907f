import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { CallError } from '../../../../src/runtime/client/index.js'
import * as here from '../../../../src/service/node-access/index.js'
import { freePort } from '../../../support/free-port.js'
import { caught, json, serve } from './rpc-server.js'

const path = (name: string) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url))

/** A second copy of the package, as in a program with two versions of it. */
const folder = await mkdtemp(join(tmpdir(), 'concordat-copy-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const outfile = join(folder, 'copy.mjs')
await build({
  entryPoints: [path('src/service/node-access/index.ts')],
  tsconfig: path('tsconfig.json'),
  bundle: true,
  format: 'esm',
  outfile,
})
const copy: typeof here = await import(pathToFileURL(outfile).href)

t.test('errors of one copy of the package are recognised by the other', async (t) => {
  const error = { code: -32602, message: 'no' }
  const { url } = await serve(t, json({ jsonrpc: '2.0', id: 1, error }))
  const answered = await caught(copy.createClient(url).eth_chainId())
  t.notOk(answered instanceof CallError, 'the classes differ')
  t.ok(here.isRpcError(answered))
  t.ok(here.isRpcError(answered, 'invalidParams'))
  t.notOk(here.isRpcError(answered, 'limitExceeded'))
  const unreachable = await caught(copy.createClient(`http://127.0.0.1:${await freePort()}/`).eth_chainId())
  t.notOk(here.isRpcError(unreachable))
  t.ok(here.isTransportError(unreachable))
  t.ok(here.isTransportError(unreachable, 'network'))
  t.notOk(here.isTransportError(unreachable, 'timeout'))
})

t.test('other errors are not recognised as errors of the package', (t) => {
  const lookalike = Object.assign(new Error('no'), { name: 'RpcError', code: -32602, error: 'invalidParams' })
  for (const value of [lookalike, new Error('no'), null, undefined, 'RpcError', {}]) {
    t.notOk(here.isRpcError(value))
    t.notOk(here.isTransportError(value))
  }
  t.end()
})

t.test('a client of one copy works with createProvider and sendRequest of the other', async (t) => {
  const { url } = await serve(t, ({ sent }, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: sent.id, result: sent.method })),
  )
  const client = copy.createClient(url)
  t.equal(await here.sendRequest(client, 'any_method'), 'any_method')
  t.equal(await here.createProvider(client).request({ method: 'net_version' }), 'net_version')
})
