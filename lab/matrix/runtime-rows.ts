import { arch, platform } from 'node:process'
import { callsModule, importingProgram, printedTwice, requiringProgram, results } from './programs.js'
import type { Row } from './row.js'

/** A runtime: its major version, and the binary for this platform that its package consists of. */
const runtime = (version: string, name: string, binary: string) => ({
  version,
  /** The argument of `npm install`. */
  install: `${name}@${version}`,
  /** Path of the binary in `node_modules`. */
  path: `${name}/${binary}`,
})

/** Runtimes other than Node.js and browsers. */
export const runtimes = {
  deno: runtime('2', `@deno/${platform}-${arch}-glibc`, 'deno'),
  bun: runtime('1', `@oven/bun-${platform}-${arch}`, 'bin/bun'),
  workerd: runtime('1', `@cloudflare/workerd-${platform}-${arch === 'x64' ? '64' : arch}`, 'bin/workerd'),
}

const flags = '--allow-net=127.0.0.1 --allow-env --allow-read'
const deno = `DENO_DIR=. DENO_NO_UPDATE_CHECK=1 ../node_modules/${runtimes.deno.path} run ${flags}`
const bun = `../node_modules/${runtimes.bun.path} run`

/** A worker that may call this machine, which the runtime forbids unless it is told. */
const workerdConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "bundle.mjs")],
      compatibilityDate = "2025-06-01", bindings = [(name = "RPC_URL", fromEnvironment = "RPC_URL")],
    )),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:PORT", http = (), service = "main")],
);
`

const worker = `import * as library from '@concordat/node-access'
import { resultsOf } from './calls.mjs'
export default { fetch: async (request, { RPC_URL }) => Response.json(await resultsOf(library, RPC_URL)) }
`

/** Starts the worker on a free port, asks it once and stops it. */
const askWorker = `import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
const free = createServer().listen(0, '127.0.0.1')
await once(free, 'listening')
const { port } = free.address()
free.close()
await once(free, 'close')
writeFileSync('config.capnp', readFileSync('worker.capnp', 'utf8').replace('PORT', port))
const workerd = spawn('../node_modules/${runtimes.workerd.path}', ['serve', 'config.capnp'], { stdio: 'inherit' })
const ended = once(workerd, 'exit')
const ask = () => fetch('http://127.0.0.1:' + port).then((answer) => answer.text(), () => undefined)
let text
while (text === undefined && workerd.exitCode === null) {
  text = await ask()
  await setTimeout(50)
}
console.log(text)
workerd.kill()
await ended
`

const inDeno = { tool: 'Deno', version: runtimes.deno.version, install: [runtimes.deno.install] }
const inBun = { tool: 'Bun', version: runtimes.bun.version, install: [runtimes.bun.install] }

/** The client in runtimes other than Node.js and browsers. */
export const runtimeRows: readonly Row[] = [
  {
    ...{ ...inDeno, form: '`import`', files: importingProgram },
    ...{ command: `${deno} program.mjs`, expected: printedTwice },
  },
  {
    ...{ ...inDeno, form: '`require`', files: requiringProgram },
    ...{ command: `${deno} program.cjs`, expected: printedTwice },
  },
  {
    ...{ ...inBun, form: '`import`', files: importingProgram },
    ...{ command: `${bun} program.mjs`, expected: printedTwice },
  },
  {
    ...{ ...inBun, form: '`require`', files: requiringProgram },
    ...{ command: `${bun} program.cjs`, expected: printedTwice },
  },
  {
    ...{ tool: 'workerd', version: runtimes.workerd.version, form: 'a worker bundled by esbuild' },
    install: [runtimes.workerd.install, 'esbuild@0.28'],
    files: {
      'calls.mjs': callsModule,
      'worker.mjs': worker,
      'worker.capnp': workerdConfig,
      'ask.mjs': askWorker,
    },
    command: 'esbuild worker.mjs --bundle --format=esm --outfile=bundle.mjs && node ask.mjs',
    expected: { kind: 'works', output: results },
  },
]
