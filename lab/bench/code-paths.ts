import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
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
import { waitForService } from './ready-file.js'
import { startSimulatedNode } from './simulated-node.js'
import { balance } from './work.js'

const launcher = fileURLToPath(new URL('../../bin/concordat.js', import.meta.url))
const warmUpRequests = 200
/** Number of measured requests. A function is counted if every request calls it, which excludes timers. */
const requests = 50
/** Two cases that only read. The first is measured until the second starts. */
const cases = ['call/hash', 'call/identity'] as const

/** The units of work whose code paths are measured. */
export const codePathNames = [
  'one forwarded request',
  'generate --only types,client',
  'one conformance case',
] as const

export type CodePathName = (typeof codePathNames)[number]

/** The code that one unit of work runs. */
export interface CodePath {
  /** The functions that were called. */
  readonly functions: readonly CalledFunction[]
  /** The source files of these functions, relative to the repository and without their extensions. */
  readonly files: readonly string[]
  /** Maximum number of functions on one stack; undefined if it was not measured. */
  readonly depth: number | undefined
}

/** The measured code paths. */
export interface CodePaths {
  readonly codePaths: Readonly<Record<CodePathName, CodePath>>
  /** The functions between `runConformance` and the request that it sends, the outermost first. */
  readonly pathToRequest: readonly string[]
}

/**
 * Measures the code paths of the compiled program. Without depths, this takes about seven seconds of processor time.
 * @throws Error if `dist/` is missing or older than a source
 */
export async function measureCodePaths({ withDepth }: { readonly withDepth: boolean }): Promise<CodePaths> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-measure-'))
  const test = await startSimulatedNode('0x1f')
  const main = await startSimulatedNode('0x1e')
  try {
    const readyFile = join(folder, 'ready.json')
    const service = await InspectedProcess.start(
      [launcher, 'start', '--port', '0', '--data', join(folder, 'data'), '--ready-file', readyFile],
      {
        CONCORDAT_NODES_TEST: `http://127.0.0.1:${test.port}/`,
        CONCORDAT_NODES_MAIN: `http://127.0.0.1:${main.port}/`,
      },
    )
    try {
      await startCoverage(service)
      const ended = service.whenDone().then(() => {
        throw new Error(`the service ended: ${service.lastErrors()}`)
      })
      await service.command('Runtime.runIfWaitingForDebugger')
      const { networks } = await Promise.race([waitForService(readyFile, service.child), ended])
      const { url } = networks.test
      if ((await takeCoverage(service)).length === 0)
        throw new Error('dist/ is missing or older than a source: run `npm run build` first')
      // First, because later measurements set breakpoints in the service.
      const { codePath, pathToRequest } = await conformanceCase(url, withDepth)
      const codePaths = {
        'one forwarded request': await forwardedRequest(service, url, withDepth),
        'generate --only types,client': await generate(folder, withDepth),
        'one conformance case': codePath,
      }
      return { codePaths, pathToRequest }
    } finally {
      await service.end()
    }
  } finally {
    for (const { server } of [test, main]) {
      server.close()
      server.closeAllConnections()
    }
    await rm(folder, { recursive: true, force: true })
  }
}

function codePathOf(functions: readonly CalledFunction[], depth: number | undefined): CodePath {
  return { functions, files: [...new Set(functions.map(({ url }) => sourceOf(url) ?? url))].sort(), depth }
}

/** Measures one forwarded request, from its first byte to the last byte of its answer. */
async function forwardedRequest(
  service: InspectedProcess,
  url: string,
  withDepth: boolean,
): Promise<CodePath> {
  let request = 0
  const ask = async (): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: balance(++request) })
    const { result } = (await response.json()) as { readonly result?: unknown }
    if (typeof result !== 'string') throw new Error(`request ${request} was not answered`)
  }
  for (let count = 0; count < warmUpRequests; count++) await ask()
  let called: readonly CalledFunction[] | undefined
  for (let count = 0; count < requests; count++) {
    await takeCoverage(service)
    await ask()
    await service.evaluate(WHEN_SENT, true)
    const now = await takeCoverage(service)
    const keys = new Set(now.map(keyOf))
    called = called?.filter((one) => keys.has(keyOf(one))) ?? now
  }
  const functions = called ?? []
  if (!withDepth) return codePathOf(functions, undefined)
  await probeDepth(service, functions)
  for (let count = 0; count < requests; count++) await ask()
  return codePathOf(functions, await takeDepth(service))
}

/** Waits for the work of the service after an answer: the client may receive the last byte before this work. */
const WHEN_SENT = 'new Promise((resolve) => setImmediate(() => setImmediate(resolve)))'

const keyOf = ({ url, start }: CalledFunction): string => `${url}:${start}`

/** Measures a whole run of `generate --only types,client`, from the start of the process to its end. */
async function generate(folder: string, withDepth: boolean): Promise<CodePath> {
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
    try {
      const ended = process.whenDone()
      await before(process)
      await process.command('Runtime.runIfWaitingForDebugger')
      await ended
      const value = await after(process)
      const code = await process.exit()
      if (code !== 0) throw new Error(`generate ended with ${code}`)
      return value
    } finally {
      await process.end()
    }
  }
  const functions = await run('a', startCoverage, takeCoverage)
  return codePathOf(functions, withDepth ? await run('b', startSampling, takeSampledDepth) : undefined)
}

/** Measures one conformance case, from its start to its verdict. */
async function conformanceCase(
  url: string,
  withDepth: boolean,
): Promise<{ readonly codePath: CodePath; readonly pathToRequest: readonly string[] }> {
  const args = ['conform', url, '--concurrency', '1', ...cases.flatMap((id) => ['--only', id])]
  const start = await locate('runCase')
  const urls = new Map<string, string>()
  /** Runs both cases and calls a function at the start of each. */
  const run = async (atStart: (process: InspectedProcess, count: number) => Promise<unknown>) => {
    const process = await InspectedProcess.start([launcher, ...args])
    process.on('Debugger.scriptParsed', ({ scriptId, url }) => urls.set(String(scriptId), String(url)))
    let count = 0
    try {
      await startCoverage(process)
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
              : noteRequest(paused)
          work
            .then(() => process.command('Debugger.resume'))
            .then(() => {
              if (count === cases.length) resolve()
            }, reject)
        })
        // A process that has done its work waits for the inspector, so it would never exit by itself.
        process
          .whenDone()
          .then(
            () => reject(new Error(`conform ended after ${count} cases: ${process.lastErrors()}`)),
            reject,
          )
      })
      await process.command('Runtime.runIfWaitingForDebugger')
      await done
    } finally {
      await process.end()
    }
  }
  let pathToRequest: readonly string[] | undefined
  const noteRequest = async (paused: Record<string, unknown>) => {
    pathToRequest ??= functionsAbove(paused as unknown as Stack, 'runConformance', urls)
  }
  let functions: readonly CalledFunction[] = []
  await run(async (process, count) => {
    functions = await takeCoverage(process)
    if (count === 1) await process.evaluate(STOP_AT_REQUEST)
  })
  if (pathToRequest === undefined) throw new Error('the conformance case sent no request')
  let depth: number | undefined
  if (withDepth) {
    await run(async (process, count) => {
      if (count === 1) await probeDepth(process, functions)
      else depth = await takeDepth(process)
    })
  }
  return { codePath: codePathOf(functions, depth), pathToRequest }
}

/** Returns the first line of the body of a function of the compiled program. The name must be unique. */
async function locate(name: string): Promise<{ readonly url: string; readonly lineNumber: number }> {
  const folder = fileURLToPath(new URL('../../dist/src/', import.meta.url))
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.js')) continue
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n')
    const at = lines.findIndex((line) => line.includes(`function ${name}(`))
    if (at >= 0) return { url: pathToFileURL(join(folder, file)).href, lineNumber: at + 1 }
  }
  throw new Error(`no function ${name} in ${folder}`)
}

/**
 * Stops the debugger whenever a request of Node's HTTP client is sent. A patch of `http.request` would not see callers
 * that import it by name.
 */
const STOP_AT_REQUEST = `require('node:diagnostics_channel').subscribe('http.client.request.start', () => { debugger })`

interface Stack {
  readonly callFrames: readonly {
    readonly functionName: string
    readonly url: string
    /** Set in the frames of a pause, which have no URL. */
    readonly location?: { readonly scriptId: string }
  }[]
  readonly asyncStackTrace?: Stack
  readonly parent?: Stack
}

/** Returns the project's functions on a stack that were called below a named function, the outermost first. */
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
