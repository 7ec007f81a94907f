import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The end of a command. */
export interface CommandEnd {
  /** The exit code; null if a signal ended the command or it could not start. */
  readonly code: number | null
  /** Both outputs, in order. */
  readonly output: string
  /** Why the command did not succeed; undefined if it did. */
  readonly failure: string | undefined
}

/**
 * Runs a command in a process group of its own, so that its time limit ends all processes that it starts.
 * @param limitMs the time limit, in milliseconds
 */
export async function runLimited(
  [command, ...args]: readonly [string, ...string[]],
  cwd: string,
  env: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<CommandEnd> {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, limitMs)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    const what = [command, ...args].join(' ')
    if (isLate) return { code, output, failure: `took longer than ${limitMs / 1_000} s: ${what}` }
    return { code, output, failure: code === 0 ? undefined : `exited with ${code}: ${what}` }
  } catch (error) {
    return { code: null, output, failure: (error as Error).message }
  } finally {
    clearTimeout(timer)
  }
}
