import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, readFile, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../../test/support/free-port.js'
import { startShippedHaproxy } from '../../test/support/haproxy.js'
import { startNginx, startShippedNginx } from '../../test/support/nginx.js'
import { startPostgres } from '../../test/support/postgres.js'
import { waitForService } from './ready-file.js'
import { local } from './work.js'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const nanosecondsPerMicrosecond = 1_000
const kilobytesPerMegabyte = 1_024

/** A measured server. */
export interface Served {
  readonly url: string
  readonly pid: number
}

/** A measured service. Keys are created through the control socket in its data folder. */
export interface Service extends Served {
  readonly dataDir: string
  /** URL of its metrics. */
  readonly metrics: string
}

/** Starts processes, and ends them at the end of the run. */
export class Processes {
  readonly #ends: (() => unknown)[] = []

  /** Starts a peer of this folder and waits for the port that it prints. */
  async peer(file: string, ...args: string[]): Promise<Served> {
    const child = spawn(process.execPath, ['--import=tsx', here(file), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#endWith(child)
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${file} did not start`)))
    const [port] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
    ended.catch(() => undefined)
    return { url: `http://127.0.0.1:${port}/`, pid: child.pid ?? 0 }
  }

  /**
   * Starts an installed program and waits for its first result. The variables PORT and NODE_URL contain a free port and
   * the URL of the node.
   * @param path path of the program's URL
   * @throws Error if the program exits before its first result
   */
  async program(command: string, path: string, node: string): Promise<Served> {
    const port = await freePort()
    const child = spawn('/bin/sh', ['-c', `exec ${command}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, PORT: String(port), NODE_URL: node },
    })
    this.#endWith(child)
    const url = `http://127.0.0.1:${port}${path}`
    const headers = { 'content-type': 'application/json' }
    for (;;) {
      const answer = await fetch(url, { method: 'POST', headers, body: local() }).catch(() => undefined)
      if ((await answer?.text())?.includes('"result"')) return { url, pid: child.pid ?? 0 }
      if (child.exitCode !== null) throw new Error(`${command} did not start`)
      await delay(50)
    }
  }

  /** Starts nginx with one worker, as a plain proxy with keep-alive connections to the node. */
  async nginx(node: string): Promise<Served> {
    const teardown = (end: () => unknown) => this.#ends.unshift(end)
    const origin = await startNginx({ teardown }, [node])
    const { port } = new URL(origin)
    return { url: `${origin}/`, pid: await listenerOf(Number(port)) }
  }

  /** Starts HAProxy with `deploy/haproxy.cfg` in front of services, and returns its origin. */
  async shippedHaproxy(services: readonly Service[]): Promise<string> {
    const teardown = (end: () => unknown) => this.#ends.unshift(end)
    const served = services.map(({ url, metrics }) => ({ origin: new URL(url).origin, metrics }))
    return startShippedHaproxy({ teardown }, served, { slowness: 1 })
  }

  /** Starts nginx with `deploy/nginx.conf` in front of two services, and returns its origin. */
  async shippedNginx(services: readonly [string, string]): Promise<string> {
    const teardown = (end: () => unknown) => this.#ends.unshift(end)
    return (await startShippedNginx({ teardown }, services)).origin
  }

  /** Starts a PostgreSQL server and returns the URL of an empty database. */
  async postgres(): Promise<string> {
    const teardown = (end: () => unknown) => this.#ends.unshift(end)
    return (await startPostgres({ teardown }, { isDurable: true })).createDatabase('bench')
  }

  /**
   * Starts the service like users do, with metrics and its own folder.
   * @param program path of the command `concordat`, for example of another commit
   */
  async service(folder: string, env: Record<string, string>, program?: string): Promise<Service> {
    const readyFile = join(folder, 'ready.json')
    const dataDir = join(folder, 'data')
    const child = spawn(
      process.execPath,
      [
        program ?? here('../../bin/concordat.js'),
        'start',
        '--port',
        '0',
        '--data',
        dataDir,
        '--ready-file',
        readyFile,
      ],
      {
        stdio: 'ignore',
        env: {
          ...process.env,
          CONCORDAT_METRICS_PORT: '0',
          // Load generators share one address, so raise its limits. Older commits lack these settings.
          ...(program === undefined && {
            CONCORDAT_LIMIT_CONNECTIONS_PER_ADDRESS: '10000',
            CONCORDAT_LIMIT_NEW_CONNECTIONS_PER_ADDRESS: '1000000',
          }),
          ...env,
        },
      },
    )
    this.#endWith(child)
    const { networks, metrics } = await waitForService(readyFile, child)
    return { url: networks.test.url, pid: child.pid ?? 0, dataDir, metrics }
  }

  /** Starts an example as its `npm start` does, in a copy with linked packages. */
  async example(name: string, folder: string, env: Record<string, string>): Promise<Served> {
    await cp(here(`../../examples/${name}`), folder, { recursive: true })
    await symlink(here('../../node_modules'), join(folder, 'node_modules'))
    const concordat = [here('../../bin/concordat.js'), 'generate', 'openrpc.json', '--out', 'generated']
    await promisify(execFile)(process.execPath, concordat, { cwd: folder })
    const child = spawn(process.execPath, ['--import=tsx', 'server.ts'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env, PORT: '0' },
    })
    this.#endWith(child)
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} did not start`)))
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
    ended.catch(() => undefined)
    return { url: String(line).replace(/^.* /, ''), pid: child.pid ?? 0 }
  }

  /** Ends all processes in reverse order. */
  async end(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end()
  }

  #endWith(child: ChildProcess): void {
    this.#ends.unshift(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    })
  }
}

/** Returns the processor time of all threads of a process so far, in microseconds (Linux only). */
export async function processorTime(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`)
  const times = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  )
  return times.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / nanosecondsPerMicrosecond
}

/** Returns the memory of a process, in megabytes. */
export const megabytes = (pid: number): Promise<number> => memoryOf(pid, /^VmRSS:\s+(\d+)/m)

/** Returns the peak memory of a process, in megabytes. */
export const peakMegabytes = (pid: number): Promise<number> => memoryOf(pid, /^VmHWM:\s+(\d+)/m)

async function memoryOf(pid: number, line: RegExp): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(line.exec(status)?.[1]) / kilobytesPerMegabyte
}

/** Returns the id of the nginx process that listens on a port of 127.0.0.1. */
async function listenerOf(port: number): Promise<number> {
  const sockets = (await readFile('/proc/net/tcp', 'utf8'))
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const inode = sockets.find((fields) => fields[1] === local && fields[3] === '0A')?.[9]
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
    if (name.trim() === 'nginx' && (await holds(pid, `socket:[${inode}]`))) return Number(pid)
  }
  throw new Error(`nobody listens on port ${port}`)
}

async function holds(pid: string, target: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  const links = await readdir(folder).catch(() => [])
  const targets = await Promise.all(links.map((link) => readlink(join(folder, link)).catch(() => '')))
  return targets.includes(target)
}
