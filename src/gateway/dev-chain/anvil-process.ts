import { type ChildProcessWithoutNullStreams as AnvilChild, spawn } from 'node:child_process'
import { EmbeddedChainError } from './embedded-chain-error.js'

/** A running anvil. */
export interface AnvilProcess {
  readonly pid: number
  /** Where it answers JSON-RPC, on the loopback interface. */
  readonly url: string
  /** Settles when the process has ended, whoever ended it. */
  readonly ended: Promise<void>
  /** Ends the process; settles when it is gone. */
  stop(): Promise<void>
}

/** What is read of anvil's last words, in characters. */
const complaintLength = 2000

/** A start that takes longer than this, in milliseconds, has failed; a busy machine takes a hundred times the usual. */
const startDeadlineMs = 60_000

/**
 * Becomes anvil, after leaving a guard behind that ends it when standard input ends. Standard input is a pipe from this
 * process, and the kernel closes it however this process ends, SIGKILL included: anvil itself would live on.
 */
const guardScript = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -KILL $$) >/dev/null 2>&1 & exec "$@" 3<&-'

/**
 * Starts anvil on a free port of 127.0.0.1. It ends with this process (on Windows, where there is no guard, only when
 * it is stopped), and is in a process group of its own: Ctrl-C in a terminal does not reach it, so that requests in
 * flight can be finished.
 * @param binary path of the binary
 * @param args its arguments, without host and port
 * @throws EmbeddedChainError when it ends, or says nothing for 60 s, before it listens
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
  // The guard outlives an anvil that ended by itself; it is in the same process group.
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

/** Ends anvil and its guard. A process group's id is not used again while the group has a member. */
function endGroup(child: AnvilChild): void {
  if (child.pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Reads the port from anvil's words; afterwards it talks without anybody listening. */
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
      fail(complaint.trim().split('\n').at(-1) || 'it ended without a word')
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
