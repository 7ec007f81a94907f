import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import './plain-children.js'
import { until } from './until.js'

const ownLauncher = fileURLToPath(new URL('../../bin/concordat.js', import.meta.url))

/** The command line as a child process, as users run it. */
export interface ConcordatProcess {
  readonly child: ChildProcess
  /** Output so far. It is complete only after the process has exited. */
  readonly output: () => { readonly out: string; readonly err: string }
  /**
   * Resolves to the whole output of a stream once it contains each of the texts. Rejects with the output when the
   * process exits first.
   */
  readonly said: (stream: 'out' | 'err', ...texts: readonly (string | RegExp)[]) => Promise<string>
  /** Resolves to the exit code once all output has been read, or to null when a signal ended the process. */
  readonly ended: Promise<number | null>
  /** The content of the ready file, or undefined when the process exited before it wrote one. */
  readonly ready: (file: string) => Promise<string | undefined>
  /** Sends a signal to the process by its id, unless it has exited. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** The environment without Concordat's settings. */
export function cleanEnvironment(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CONCORDAT_') && name !== 'DATABASE_URL',
  )
  return { ...Object.fromEntries(inherited), ...env }
}

/** True for commands that are services. */
export const isService = ([command]: readonly string[]): boolean => command === 'start' || command === 'serve'

/** Options of a process. */
export interface ProcessOptions {
  /** Standard input; empty by default. */
  readonly input?: string
  /** The working directory; that of the tests by default. */
  readonly cwd?: string
  /** `bin/concordat.js` of another copy of this project. */
  readonly launcher?: string | undefined
  /** Options of Node.js. */
  readonly nodeOptions?: readonly string[]
}

/**
 * Starts `concordat` with arguments.
 * @param env settings that are added to the tests' environment
 */
export function startConcordat(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { input = '', cwd, launcher = ownLauncher, nodeOptions = [] }: ProcessOptions = {},
): ConcordatProcess {
  const child = spawn(process.execPath, [...nodeOptions, launcher, ...args], {
    cwd,
    env: cleanEnvironment(env),
  })
  const texts = { out: '', err: '' }
  let hasClosed = false
  const waiting = new Set<() => void>()
  const checkAll = () => {
    for (const check of waiting) check()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text
    checkAll()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text
    checkAll()
  })
  child.stdin.on('error', () => undefined).end(input)
  const ended = once(child, 'close').then(([code]) => {
    hasClosed = true
    checkAll()
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
            (part) => text.search(part instanceof RegExp ? part : literal(part)) < 0,
          )
          if (missing !== undefined && !hasClosed) return
          waiting.delete(check)
          if (missing === undefined) resolve(text)
          else reject(new Error(`the process exited without writing ${missing}:\n${texts.out}${texts.err}`))
        }
        waiting.add(check)
        check()
      }),
    async ready(file) {
      await until(() => existsSync(file) || child.exitCode !== null || child.signalCode !== null)
      if (existsSync(file)) return readFile(file, 'utf8')
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
