import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Characters of the output that are kept. */
const keptLength = 10_000

/** A JavaScript program that listens. */
export interface ListeningProgram {
  /** Ends the program; resolves when it has exited. */
  stop(): Promise<void>
}

/**
 * Starts a JavaScript program. Resolves once its output has a text.
 * @param args path of the program, and its arguments
 * @param listening the text that it prints when it listens
 * @throws Error with the output if the program exits first
 */
export async function startListening(
  args: readonly [path: string, ...args: string[]],
  listening: string,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ListeningProgram> {
  const child = spawn(process.execPath, args, {
    ...options,
    env: { ...process.env, ...options.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let output = ''
  const started = new Promise<true>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (output.length < keptLength) output += text
        if (output.includes(listening)) resolve(true)
      })
    }
  })
  if ((await Promise.race([started, ended])) !== true)
    throw new Error(`${args[0]} exited before it listened:\n${output}`)
  return {
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
