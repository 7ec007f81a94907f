/**
 * The recipes of docs/backend.md for Deno, Bun and Cloudflare Workers. The runtimes have about 100 MB each, so this
 * file installs them; they are no dependencies of the project.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import t from 'tap'
import { runtimes } from '../../lab/matrix/runtime-rows.js'
import { freePort } from '../support/free-port.js'
import { markdownBlocks } from '../support/markdown-blocks.js'
import { sumsContract } from '../support/sums-contract.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

t.setTimeout(600_000)

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const guide = await readFile(join(root, 'docs/backend.md'), 'utf8')
const [service = ''] = markdownBlocks(guide, 'Mount it', 'ts')
const [deno = '', bun = '', worker = ''] = markdownBlocks(guide, 'Mount it', 'js')

const folder = await temporaryFolder(t)
await writeFile(join(folder, 'service.ts'), service)
await writeFile(join(folder, 'openrpc.json'), JSON.stringify(sumsContract))
await run(process.execPath, [join(root, 'bin/concordat.js'), 'generate', '--out', 'generated'], {
  cwd: folder,
})

/** A worker that listens on a port, as a configuration of the runtime of Cloudflare Workers. */
const workerConfig = (port: number) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "program.mjs")],
    compatibilityDate = "2025-06-01", compatibilityFlags = ["nodejs_compat"],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`

const recipes = [
  {
    name: 'Deno',
    code: deno,
    runtime: runtimes.deno,
    args: ['run', '--allow-net', '--allow-env', '--no-config', 'program.mjs'],
  },
  { name: 'Bun', code: bun, runtime: runtimes.bun, args: ['run', 'program.mjs'] },
  { name: 'Cloudflare Workers', code: worker, runtime: runtimes.workerd, args: ['serve', 'worker.capnp'] },
]

for (const { name, code, runtime, args } of recipes) {
  t.test(`the recipe for ${name} answers calls`, async (t) => {
    const cwd = join(folder, name)
    await mkdir(cwd)
    await run('npm', ['install', '--silent', '--no-save', '--prefix', cwd, runtime.install])
    const port = await freePort()
    await build({
      stdin: { contents: code.replace('8080', String(port)), resolveDir: folder },
      tsconfig: join(root, 'tsconfig.json'),
      nodePaths: [join(root, 'node_modules')],
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile: join(cwd, 'program.mjs'),
    })
    await writeFile(join(cwd, 'worker.capnp'), workerConfig(port))
    const env = { PATH: process.env['PATH'], HOME: cwd, DENO_DIR: cwd, DENO_NO_UPDATE_CHECK: '1' }
    const child = spawn(join(cwd, 'node_modules', runtime.path), args, { cwd, env, stdio: 'inherit' })
    const ended = once(child, 'exit')
    t.teardown(async () => {
      child.kill()
      await ended
    })
    const post = async (body: object) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      })
      return response.json()
    }
    const added = await until(() => post({ method: 'add', params: [1, 2] }).catch(() => undefined))
    t.same(added, { jsonrpc: '2.0', id: 1, result: 3 })
    t.match(await post({ method: 'add', params: ['1', 2] }), { error: { code: -32602 } })
    t.match(await post({ method: 'rpc.discover' }), { result: { info: { title: 'Sums' } } })
    t.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 405)
  })
}
