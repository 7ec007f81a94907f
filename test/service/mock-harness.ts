import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { type ConcordatProcess, startConcordat } from '../support/concordat-process.js'
import { post } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** `concordat mock` as a child process. */
export interface RunningMock {
  readonly url: string
  /** The content of its ready file. */
  readonly ready: unknown
  readonly output: ConcordatProcess['output']
  readonly said: ConcordatProcess['said']
  readonly stop: ConcordatProcess['stop']
  /** Sends a JSON-RPC request and returns its response. */
  readonly ask: (
    method: string,
    params: unknown,
  ) => Promise<{ readonly result?: unknown; readonly error?: unknown }>
}

/** A path of this repository. */
export const rooted = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * Starts `concordat mock` on a free port and waits for its ready file; it is stopped when the test ends.
 * @param input standard input
 */
export async function startMockCommand(t: Test, args: readonly string[], input = ''): Promise<RunningMock> {
  const file = join(await temporaryFolder(t), 'ready.json')
  const all = ['mock', '--port', '0', '--ready-file', file, ...args]
  const mock = startConcordat(all, {}, { input })
  t.teardown(() => mock.stop())
  const text = await mock.ready(file)
  if (text === undefined)
    throw new Error(`it ended before it was ready:\n${Object.values(mock.output()).join('')}`)
  const ready = JSON.parse(text) as { readonly url: string }
  return {
    url: ready.url,
    ready,
    output: mock.output,
    said: mock.said,
    stop: mock.stop,
    async ask(method, params) {
      const { json } = await post(ready.url, { jsonrpc: '2.0', id: 1, method, params })
      const { jsonrpc, id, ...answer } = json
      t.same([jsonrpc, id], ['2.0', 1])
      return answer
    },
  }
}
