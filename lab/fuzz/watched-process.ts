import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConcordatProcess } from '../../test/support/concordat-process.js'

/** Heap of the process. In a larger heap, V8 keeps garbage so long that the garbage hides leaks. */
const heapMegabytes = 256

/** What a watched process reported. */
export interface WatchReport {
  /** The longest block of the event loop, in milliseconds of processor time; undefined if none was over 15 ms. */
  readonly longestBlock: number | undefined
  /** Errors that ended the process: exceptions that nothing caught, and rejections that nothing handled. */
  readonly errors: readonly string[]
}

/** A process that is watched while inputs are sent. */
export interface Watched {
  /** Environment of the process, which loads `watch-process.js` into it. */
  readonly env: Readonly<Record<string, string>>
  read(): Promise<WatchReport>
}

/** Prepares to watch a process. @param folder folder for its report */
export function watchIn(folder: string): Watched {
  const file = join(folder, 'watch.jsonl')
  const preload = new URL('watch-process.js', import.meta.url).href
  return {
    env: { FUZZ_WATCH: file, NODE_OPTIONS: `--import=${preload} --max-old-space-size=${heapMegabytes}` },
    async read() {
      const text = await readFile(file, 'utf8').catch(() => '')
      const lines = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { readonly block?: number; readonly error?: string })
      return {
        longestBlock: lines.findLast(({ block }) => block !== undefined)?.block,
        errors: lines.flatMap(({ error }) => error ?? []),
      }
    },
  }
}

/** True while a process runs. */
export const isRunning = ({ child }: { readonly child: ConcordatProcess['child'] }): boolean =>
  child.exitCode === null && child.signalCode === null
