import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import './plain-children.js'

/** A process of a test, ended by its own id. */
export interface Child {
  readonly process: ChildProcess
  /** Everything written to its standard output so far, by line. */
  readonly lines: readonly string[]
  /** Resolves once it has written so many lines. */
  hasWritten(lines: number): Promise<void>
  /** Ends it at once, as a crash would; resolves when it is gone and its last line has been read. */
  kill(): Promise<void>
}

/** Starts a TypeScript file as a process of its own. */
export function startChild(file: URL, args: readonly string[]): Child {
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), fileURLToPath(file), ...args],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  const read = once(reader, 'close')
  return {
    process: child,
    lines,
    async hasWritten(wanted) {
      while (lines.length < wanted) {
        const more = await Promise.race([once(reader, 'line'), read.then(() => undefined)])
        if (more === undefined && lines.length < wanted)
          throw new TypeError(`It ended after ${lines.length} lines`)
      }
    },
    async kill() {
      const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      child.kill('SIGKILL')
      await gone
      await read
    },
  }
}
