import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import './plain-children.js'

/** A child process of a test. */
export interface Child {
  readonly process: ChildProcess
  /** The lines of its standard output so far. */
  readonly lines: readonly string[]
  /** Resolves once the process has written this many lines. */
  hasWritten(lines: number): Promise<void>
  /** Kills the process with SIGKILL. Resolves when it has exited and its last line has been read. */
  kill(): Promise<void>
}

/**
 * Starts a file as a child process, with tsx if it is TypeScript.
 * @param errors what becomes of its standard error; `inherit` shows it
 */
export function startChild(
  file: URL,
  args: readonly string[],
  errors: 'inherit' | 'ignore' = 'inherit',
): Child {
  const path = fileURLToPath(file)
  const options = path.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []
  const child = spawn(process.execPath, [...options, path, ...args], { stdio: ['pipe', 'pipe', errors] })
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
          throw new TypeError(`The process exited after ${lines.length} lines`)
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
