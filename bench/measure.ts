/**
 * `npm run measure`: how far work travels through the code, from V8's coverage of the compiled program.
 *
 *   npm run measure              the table
 *   npm run measure -- --files   with the source files behind each row
 *
 * - files: source files of `src/` and `generated/` in which a function was called. The body of a module, which runs
 *   when the module is loaded, does not count as a function.
 * - functions: functions of those files that were called.
 * - depth: the most of those functions that were on one stack, callers that await included. A conditional breakpoint at
 *   the entry of each function counts the frames of the stack in a second run of the same work. Of
 *   `generate`, which calls some functions 100,000 times, a sample of the stack is taken every 50 µs instead.
 *
 * A forwarded request is measured {@link requests} times in a warmed-up service, and what was called in each of them
 * counts, so that timers of the service do not. One conformance case is measured from its start to the start of the
 * next, with one case at a time.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import {
  type CalledFunction,
  probeDepth,
  sourceOf,
  startCoverage,
  startSampling,
  takeCoverage,
  takeDepth,
  takeSampledDepth,
} from './coverage.js'
import { InspectedProcess } from './inspector.js'
import { Processes, type Served, waitForService } from './processes.js'
import { balance } from './work.js'

const { values: options } = parseArgs({ options: { files: { type: 'boolean', default: false } } })

const launcher = fileURLToPath(new URL('../bin/concordat.js', import.meta.url))
const warmUpRequests = 200
const requests = 10
/** Two cases that read; the first is measured, and the start of the second ends it. */
const cases = ['call/hash', 'call/identity'] as const

/** The functions called during some work. */
interface Measured {
  readonly name: string
  /** Maximum number of files that the project aims for. */
  readonly aim: number
  readonly functions: readonly CalledFunction[]
  readonly depth: number
}

const filesOf = (functions: readonly CalledFunction[]): readonly string[] =>
  [...new Set(functions.map(({ url }) => sourceOf(url) ?? url))].sort()

/** One forwarded request, from its first byte to the last byte of its answer. */
async function forwardedRequest(
  folder: string,
  node: Served,
  main: Served,
  env: Readonly<Record<string, string>> = {},
): Promise<Omit<Measured, 'name'>> {
  const readyFile = join(folder, 'ready.json')
  const args = ['start', '--port', '0', '--data', join(folder, 'data'), '--ready-file', readyFile]
  const service = await InspectedProcess.start([launcher, ...args], {
    CONCORDAT_NODES_TEST: node.url,
    CONCORDAT_NODES_MAIN: main.url,
    ...env,
  })
  try {
    await service.command('Runtime.runIfWaitingForDebugger')
    const { url } = (await waitForService(readyFile, service.child)).networks.test
    let request = 0
    const ask = async (): Promise<void> => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body: balance(++request) })
      const { result } = (await response.json()) as { readonly result?: unknown }
      if (typeof result !== 'string') throw new Error(`request ${request} was not answered`)
    }
    for (let count = 0; count < warmUpRequests; count++) await ask()
    let called: readonly CalledFunction[] | undefined
    await startCoverage(service)
    for (let count = 0; count < requests; count++) {
      await takeCoverage(service)
      await ask()
      const now = await takeCoverage(service)
      const keys = new Set(now.map(keyOf))
      called = called?.filter((one) => keys.has(keyOf(one))) ?? now
    }
    const functions = called ?? []
    await probeDepth(service, functions)
    for (let count = 0; count < requests; count++) await ask()
    return { aim: 40, functions, depth: await takeDepth(service) }
  } finally {
    await service.end()
  }
}

const keyOf = ({ url, start }: CalledFunction): string => `${url}:${start}`

/** A whole run of `generate --only types,client`, from the start of the process to its end. */
async function generate(folder: string): Promise<Measured> {
  const run = async <Value>(
    out: string,
    before: (process: InspectedProcess) => Promise<void>,
    after: (process: InspectedProcess) => Promise<Value>,
  ): Promise<Value> => {
    const process = await InspectedProcess.start([
      launcher,
      'generate',
      '--only',
      'types,client',
      '--out',
      join(folder, out),
    ])
    const ended = new Promise<void>((resolve) =>
      process.on('NodeRuntime.waitingForDisconnect', () => resolve()),
    )
    try {
      await process.command('NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true })
      await before(process)
      await process.command('Runtime.runIfWaitingForDebugger')
      await ended
      return await after(process)
    } finally {
      await process.end()
    }
  }
  const functions = await run('a', startCoverage, takeCoverage)
  const depth = await run('b', startSampling, takeSampledDepth)
  return { name: 'generate --only types,client', aim: 60, functions, depth }
}

/** One conformance case, from its start to its verdict, and the functions between `runConformance` and the socket. */
async function conformanceCase(url: string): Promise<Measured & { readonly path: readonly string[] }> {
  const args = ['conform', url, '--concurrency', '1', ...cases.flatMap((id) => ['--only', id])]
  const start = await locate('runCase')
  const urls = new Map<string, string>()
  /** Runs both cases and calls a function at the start of each. */
  const run = async (atStart: (process: InspectedProcess, count: number) => Promise<unknown>) => {
    const process = await InspectedProcess.start([launcher, ...args])
    process.on('Debugger.scriptParsed', ({ scriptId, url }) => urls.set(String(scriptId), String(url)))
    let count = 0
    try {
      await process.command('Debugger.enable')
      await process.command('Debugger.setAsyncCallStackDepth', { maxDepth: 64 })
      await process.command('Debugger.setBreakpointByUrl', { ...start })
      const done = new Promise<void>((resolve, reject) => {
        process.on('Debugger.paused', (paused) => {
          const { hitBreakpoints, reason } = paused as {
            readonly hitBreakpoints: readonly string[]
            readonly reason: string
          }
          const isStart = hitBreakpoints.some((id) => id.includes(start.url))
          const work = isStart
            ? atStart(process, ++count)
            : reason === 'Break on start'
              ? Promise.resolve()
              : pathToSocket(paused)
          work
            .then(() => process.command('Debugger.resume'))
            .then(() => {
              if (count === cases.length) resolve()
            }, reject)
        })
        process.child.once('exit', (code) => reject(new Error(`conform ended with ${code}`)))
      })
      await process.command('Runtime.runIfWaitingForDebugger')
      await done
    } finally {
      await process.end()
    }
  }
  let path: readonly string[] = []
  const pathToSocket = async (paused: Record<string, unknown>) => {
    if (path.length === 0) path = functionsAbove(paused as unknown as Stack, 'runConformance', urls)
  }
  let functions: readonly CalledFunction[] = []
  await run(async (process, count) => {
    if (count === 1) {
      await startCoverage(process)
      await process.evaluate(STOP_AT_REQUEST)
    } else functions = await takeCoverage(process)
  })
  let depth = 0
  await run(async (process, count) => {
    if (count === 1) await probeDepth(process, functions)
    else depth = await takeDepth(process)
  })
  return { name: 'one conformance case', aim: 60, functions, depth, path }
}

/** Position of a function of the compiled conformance runner. */
async function locate(name: string): Promise<{ readonly url: string; readonly lineNumber: number }> {
  const folder = fileURLToPath(new URL('../dist/src/conformance/', import.meta.url))
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.js')) continue
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n')
    const at = lines.findIndex((line) => line.includes(`function ${name}(`))
    if (at >= 0) return { url: pathToFileURL(join(folder, file)).href, lineNumber: at + 1 }
  }
  throw new Error(`no function ${name} in ${folder}`)
}

/** Stops the debugger whenever a request of Node's HTTP begins. */
const STOP_AT_REQUEST = `(() => {
  const http = require('node:http')
  const { request } = http
  http.request = function (...given) { debugger; return request.apply(this, given) }
})()`

interface Stack {
  readonly callFrames: readonly {
    readonly functionName: string
    readonly url: string
    /** Of the frames where the debugger stops, which lack the URL. */
    readonly location?: { readonly scriptId: string }
  }[]
  readonly asyncStackTrace?: Stack
  readonly parent?: Stack
}

/** The functions of the project on a stack below another one, the outermost first. */
function functionsAbove(stack: Stack, name: string, urls: ReadonlyMap<string, string>): readonly string[] {
  const frames: Stack['callFrames'][number][] = []
  for (let part: Stack | undefined = stack; part !== undefined; part = part.asyncStackTrace ?? part.parent) {
    frames.push(
      ...part.callFrames.map(({ functionName, url, location }) => ({
        functionName,
        url: urls.get(location?.scriptId ?? '') ?? url,
      })),
    )
  }
  const own = frames.filter(({ url }) => sourceOf(url) !== undefined)
  const end = own.findIndex(({ functionName }) => functionName === name)
  if (end < 0) throw new Error(`${name} is not on the stack of the request`)
  const names = own
    .slice(0, end)
    .map(({ functionName, url }) => `${functionName || '(anonymous)'} in ${sourceOf(url)}`)
  return [...new Set(names)].reverse()
}

function row(name: string, figures: readonly (string | number)[]): string {
  return `${name.padEnd(44)}${figures.map((figure) => String(figure).padStart(12)).join('')}`
}

const folder = await mkdtemp(join(tmpdir(), 'concordat-measure-'))
const processes = new Processes()
try {
  const node = await processes.peer('node-server.ts', '0x1f')
  const main = await processes.peer('node-server.ts', '0x1e')
  const service = await processes.service(folder, {
    CONCORDAT_NODES_TEST: node.url,
    CONCORDAT_NODES_MAIN: main.url,
  })
  const conformed = await conformanceCase(service.url)
  const measured: readonly Measured[] = [
    {
      name: 'one forwarded request',
      ...(await forwardedRequest(await mkdtemp(join(folder, 'a-')), node, main)),
    },
    await generate(folder),
    conformed,
  ]
  console.log(row('', ['files', 'aim', 'functions', 'depth']))
  for (const { name, aim, functions, depth } of measured) {
    console.log(row(name, [filesOf(functions).length, aim, functions.length, depth]))
  }
  console.log(row('', ['functions', 'aim']))
  console.log(row('from runConformance to the socket', [conformed.path.length, 9]))
  if (options.files) {
    for (const { name, functions } of measured)
      console.log(`\n${name}:\n  ${filesOf(functions).join('\n  ')}`)
    console.log(`\nfrom runConformance to the socket:\n  ${conformed.path.join('\n  ')}`)
  }
} finally {
  await processes.end()
  await rm(folder, { recursive: true, force: true })
}
