import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import './plain-children.js'

const ownLauncher = fileURLToPath(new URL('../../bin/concordat.js', import.meta.url))

/** The command line as a process of its own, as a user runs it. */
export interface ConcordatProcess {
  readonly child: ChildProcess
  /** What it has written so far; whole only once it has ended. */
  readonly output: () => { readonly out: string; readonly err: string }
  /**
   * The whole of what it has written to a stream once each of the texts is in it: what a process wrote before it did
   * something else is not read before that by itself. Rejects with its output when it ends without one of them.
   */
  readonly said: (stream: 'out' | 'err', ...texts: readonly (string | RegExp)[]) => Promise<string>
  /** Resolves to its exit code once everything it wrote is read, to null when a signal ended it. */
  readonly ended: Promise<number | null>
  /** The content of the file that it writes once it is ready; undefined when it ended before. */
  readonly ready: (file: string) => Promise<string | undefined>
  /** Ends it with a signal by its own process id, unless it has ended. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** The environment without settings of the person who runs the tests. */
export function cleanEnvironment(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CONCORDAT_') && name !== 'DATABASE_URL',
  )
  return { ...Object.fromEntries(inherited), ...env }
}

/** What is a service, and counted in coverage; the other commands are counted where tests run them in their own process. */
const counted: ReadonlySet<string | undefined> = new Set(['start', 'serve'])
/** Keeps coverage from being counted, which takes a quarter of what a short process takes. */
export const uncounted = { NODE_V8_COVERAGE: '' }

/**
 * Starts `concordat` with arguments.
 * @param env settings beside the environment of the tests
 * @param input what it reads from standard input
 * @param launcher `bin/concordat.js` of another copy of this project
 */
export function startConcordat(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
  launcher = ownLauncher,
): ConcordatProcess {
  const settings = counted.has(args[0]) ? env : { ...uncounted, ...env }
  const child = spawn(process.execPath, [launcher, ...args], { env: cleanEnvironment(settings) })
  const texts = { out: '', err: '' }
  let hasClosed = false
  const waiting = new Set<() => void>()
  const look = () => {
    for (const each of waiting) each()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text
    look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text
    look()
  })
  child.stdin.on('error', () => undefined).end(input)
  const ended = once(child, 'close').then(([code]) => {
    hasClosed = true
    look()
    return code as number | null
  })
  return {
    child,
    ended,
    output: () => ({ ...texts }),
    said: (stream, ...wanted) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const text = texts[stream]
          const missing = wanted.find(
            (each) => text.search(each instanceof RegExp ? each : literal(each)) < 0,
          )
          if (missing !== undefined && !hasClosed) return
          waiting.delete(check)
          if (missing === undefined) resolve(text)
          else reject(new Error(`it ended and never wrote ${missing}:\n${texts.out}${texts.err}`))
        }
        waiting.add(check)
        check()
      }),
    async ready(file) {
      while (child.exitCode === null && child.signalCode === null) {
        const text = await readFile(file, 'utf8').catch(() => undefined)
        if (text !== undefined) return text
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await ended
      return undefined
    },
    stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      return ended
    },
  }
}

const literal = (text: string): RegExp => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
