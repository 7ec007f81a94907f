import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { cleanEnvironment } from './service.js'

/** The outcome of a command. */
export interface CommandResult {
  readonly code: number | null
  /** Both outputs, in order. */
  readonly output: string
}

/** A process that prints its URL. */
export interface ListeningProcess {
  readonly url: string
  /** Ends the process with Ctrl+C; resolves to its exit code. */
  readonly stop: () => Promise<number | null>
}

/** A user's shell in a folder. */
export interface UserShell {
  readonly run: (command: string) => Promise<CommandResult>
  /** Starts a command whose first line is `Listening on URL`. */
  readonly listen: (command: string) => Promise<ListeningProcess>
}

/**
 * Opens a shell without the NODE_OPTIONS that a test runner sets for every Node.js process. The runner restores them in
 * child processes, so only the shell itself can remove them.
 * @param path folders of commands, searched before the system's
 */
export function userShell(cwd: string, path: readonly string[] = []): UserShell {
  const env = cleanEnvironment({
    PATH: [...path, process.env['PATH'] ?? ''].join(':'),
    PORT: '0',
    // Answers are read from the output.
    NO_COLOR: '1',
  })
  const start = (command: string) => spawn('bash', ['-c', `unset NODE_OPTIONS; ${command}`], { cwd, env })
  return {
    async run(command) {
      const child = start(command)
      const output = collected(child.stdout, child.stderr)
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, output: output() }
    },
    async listen(command) {
      const child = start(`exec ${command}`)
      const errors = collected(child.stderr)
      const closed = once(child, 'close') as Promise<[number | null]>
      const said = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
      const [line] = await Promise.race([said, closed])
      const url = /^Listening on (http:.+)$/.exec(String(line))?.[1]
      if (url === undefined) throw new TypeError(`${command} in ${cwd}: ${line}\n${errors()}`)
      return {
        url,
        stop: async () => {
          child.kill('SIGTERM')
          return (await closed)[0]
        },
      }
    },
  }
}

function collected(...streams: readonly NodeJS.ReadableStream[]): () => string {
  let text = ''
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  }
  return () => text
}
