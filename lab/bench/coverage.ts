import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { InspectedProcess } from './inspector.js'

/** A function of the project that was called. */
export interface CalledFunction {
  /** URL of the compiled file. */
  readonly url: string
  readonly name: string
  /** Offset of its first character in the file. */
  readonly start: number
}

interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly functionName: string
    readonly ranges: readonly {
      readonly startOffset: number
      readonly endOffset: number
      readonly count: number
    }[]
  }[]
}

const root = new URL('../../', import.meta.url).href
const SAMPLING_MICROSECONDS = 50

/** Returns the source file of a compiled file, relative to the repository; undefined for files outside the project. */
export function sourceOf(url: string): string | undefined {
  if (!url.startsWith(root) || url.includes('/node_modules/') || !url.includes('/dist/')) return undefined
  return url
    .slice(root.length)
    .replace(/(?:^|(?<=\/))dist\//, '')
    .replace(/\.js$/, '')
}

/** Resets the counters. Later readings contain only later calls. */
export async function startCoverage(process: InspectedProcess): Promise<void> {
  await process.command('Profiler.enable')
  await process.command('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
}

/**
 * Returns the functions of the project that were called since the counters were reset. The body of a module, which runs
 * when it is loaded, does not count as a function.
 */
export async function takeCoverage(process: InspectedProcess): Promise<readonly CalledFunction[]> {
  const { result } = await process.command<{ readonly result: readonly ScriptCoverage[] }>(
    'Profiler.takePreciseCoverage',
  )
  return result
    .filter(({ url }) => sourceOf(url) !== undefined)
    .flatMap(({ url, functions }) => {
      const { length } = textOf(url)
      return functions.flatMap(({ functionName: name, ranges: [range] }) => {
        if (range === undefined || range.count === 0) return []
        if (range.startOffset === 0 && range.endOffset >= length) return []
        return [{ url, name, start: range.startOffset }]
      })
    })
}

const PROBE = `globalThis.__concordatDepth = { most: 0, probe() {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = Infinity
  const lines = new Error().stack.split('\\n')
  Error.stackTraceLimit = limit
  const isOwn = (line) => line.includes(${JSON.stringify(root)}) && line.includes('/dist/') && !line.includes('/node_modules/')
  const own = lines.filter((line) => !line.includes('(eval at ') && isOwn(line))
  this.most = Math.max(this.most, own.length)
  return false
} }`

/**
 * Makes a process record the depth of its stack whenever one of the functions is entered. A conditional breakpoint in
 * each function evaluates a probe that returns false, so the process never stops.
 */
export async function probeDepth(
  process: InspectedProcess,
  functions: readonly CalledFunction[],
): Promise<void> {
  await process.command('Debugger.enable')
  await process.evaluate(`${PROBE}; undefined`)
  for (const { url, start } of functions) {
    await process.command('Debugger.setBreakpointByUrl', {
      url,
      ...positionOf(url, start),
      condition: 'globalThis.__concordatDepth?.probe()',
    })
  }
}

/** Returns the largest number of project functions on the stack, including awaiting callers, and resets it. */
export async function takeDepth(process: InspectedProcess): Promise<number> {
  return process.evaluate<number>(
    '(() => { const { most } = __concordatDepth; __concordatDepth.most = 0; return most })()',
  )
}

/** Starts sampling the stack of a process. */
export async function startSampling(process: InspectedProcess): Promise<void> {
  await process.command('Profiler.enable')
  await process.command('Profiler.setSamplingInterval', { interval: SAMPLING_MICROSECONDS })
  await process.command('Profiler.start')
}

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly url: string; readonly functionName: string }
    readonly children?: readonly number[]
  }[]
}

/** Stops sampling and returns the maximum stack depth of a sample, counting only functions of this project. */
export async function takeSampledDepth(process: InspectedProcess): Promise<number> {
  const { profile } = await process.command<{ readonly profile: Profile }>('Profiler.stop')
  const depths = new Map<number, number>()
  // Nodes come after their callers.
  for (const { id, callFrame, children = [] } of profile.nodes) {
    const depth = (depths.get(id) ?? 0) + (sourceOf(callFrame.url) === undefined ? 0 : 1)
    depths.set(id, depth)
    for (const child of children) depths.set(child, depth)
  }
  return Math.max(0, ...depths.values())
}

const texts = new Map<string, string>()

function textOf(url: string): string {
  const text = texts.get(url) ?? readFileSync(fileURLToPath(url), 'utf8')
  texts.set(url, text)
  return text
}

/** Line and column of an offset; a breakpoint there stops at the first statement of the function that begins there. */
function positionOf(
  url: string,
  start: number,
): { readonly lineNumber: number; readonly columnNumber: number } {
  const before = textOf(url).slice(0, start).split('\n')
  return { lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 }
}
