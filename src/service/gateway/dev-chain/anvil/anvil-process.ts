import { type ChildProcessWithoutNullStreams as AnvilChild, spawn } from 'node:child_process'
import { EmbeddedChainError } from '../embedded-chain-error.js'

/** A running anvil. */
export interface AnvilProcess {
  readonly pid: number
  /** JSON-RPC URL on the loopback interface. */
  readonly url: string
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<void>
  /** Ends the process; resolves when it has ended. */
  stop(): Promise<void>
}

/** Characters of anvil's error output that are kept. */
const complaintLength = 2000

/** Timeout of the start, in milliseconds. It is long because busy machines can take a hundred times the usual time. */
const startDeadlineMs = 60_000

/**
 * Starts a guard in the background and then replaces itself with anvil. The guard kills anvil when standard input ends.
 * Standard input is a pipe from this process, which the kernel closes even if this process is killed.
 */
const guardScript = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -KILL $$) >/dev/null 2>&1 & exec "$@" 3<&-'

/**
 * Starts anvil on a free port of 127.0.0.1. It ends with this process; on Windows, which has no guard, only when it is
 * stopped. It has its own process group, so that Ctrl-C in a terminal does not end it before requests in flight finish.
 * @param binary path of the binary
 * @param args arguments without host and port
 * @throws EmbeddedChainError if it ends, or does not listen within 60 s
 */
export async function startAnvil(binary: string, args: readonly string[]): Promise<AnvilProcess> {
  const command = [binary, '--host', '127.0.0.1', '--port', '0', ...args]
  const [program = binary, ...rest] =
    process.platform === 'win32' ? command : ['/bin/sh', '-c', guardScript, 'anvil', ...command]
  const child = spawn(program, rest, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  // The guard keeps running if anvil ends by itself, so the whole process group is ended.
  child.once('exit', () => endGroup(child))
  child.stdin.on('error', () => {})
  const stop = async () => {
    endGroup(child)
    await ended
  }
  try {
    const port = await listeningPort(child, ended)
    return { pid: child.pid ?? 0, url: `http://127.0.0.1:${port}`, ended, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Ends anvil and its guard. The id of a process group is not reused while the group has members. */
function endGroup(child: AnvilChild): void {
  if (child.pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

/** Reads the port from anvil's output, and discards further output. */
function listeningPort(child: AnvilChild, ended: Promise<void>): Promise<number> {
  return new Promise((resolve, reject) => {
    let words = ''
    let complaint = ''
    const fail = (reason: string, cause?: unknown) => {
      const message = `the development chain (anvil) did not start: ${reason}`
      reject(new EmbeddedChainError(message, { cause }))
    }
    const timer = setTimeout(() => fail(`it did not listen within ${startDeadlineMs} ms`), startDeadlineMs)
    child.once('error', (error) => fail(error.message, error))
    ended.then(() => {
      clearTimeout(timer)
      fail(complaint.trim().split('\n').at(-1) || 'it exited without a message')
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-complaintLength)
    })
    const onWords = (text: string) => {
      words += text
      const port = /Listening on \S+:(\d+)\s/.exec(words)?.[1]
      if (port === undefined) return
      clearTimeout(timer)
      child.stdout.off('data', onWords).resume()
      resolve(Number(port))
    }
    child.stdout.setEncoding('utf8').on('data', onWords)
  })
}
