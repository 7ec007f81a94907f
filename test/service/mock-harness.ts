import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { cleanEnvironment, post } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const launcher = fileURLToPath(new URL('../../bin/concordat.js', import.meta.url))

/** `concordat mock` as a process of its own. */
export interface RunningMock {
  readonly url: string
  /** What its ready file says. */
  readonly ready: unknown
  /** What it has written so far. */
  readonly output: () => { readonly out: string; readonly err: string }
  /** Ends it with a signal by its own process id; resolves to its exit code, null when the signal ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
  /** Sends a JSON-RPC request, and gives its answer. */
  readonly ask: (
    method: string,
    params: unknown,
  ) => Promise<{ readonly result?: unknown; readonly error?: unknown }>
}

/** A path of this repository. */
export const rooted = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * Starts `concordat mock` on a free port and waits for its ready file; it is stopped when the test ends.
 * @param input what it reads from standard input
 */
export async function startMockCommand(t: Test, args: readonly string[], input = ''): Promise<RunningMock> {
  const file = join(await temporaryFolder(t), 'ready.json')
  const all = ['mock', '--port', '0', '--ready-file', file, ...args]
  const child = spawn(process.execPath, [launcher, ...all], { env: cleanEnvironment() })
  const texts = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text
  })
  child.stdin.end(input)
  const ended = once(child, 'close') as Promise<[number | null]>
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    return (await ended)[0]
  }
  t.teardown(() => stop())
  const text = await Promise.race([readyText(child, file), ended.then(() => undefined)])
  if (text === undefined) throw new Error(`it ended before it was ready:\n${texts.out}${texts.err}`)
  const ready = JSON.parse(text) as { readonly url: string }
  return {
    url: ready.url,
    ready,
    output: () => ({ ...texts }),
    stop,
    async ask(method, params) {
      const { json } = await post(ready.url, { jsonrpc: '2.0', id: 1, method, params })
      const { jsonrpc, id, ...answer } = json
      t.same([jsonrpc, id], ['2.0', 1])
      return answer
    },
  }
}

/** The ready file appears whole; it is looked for as long as the process lives. */
async function readyText(child: ChildProcess, file: string): Promise<string | undefined> {
  while (child.exitCode === null && child.signalCode === null) {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text !== undefined) return text
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return undefined
}
