import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rename, rmdir, stat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError, reasonOf, systemCode } from '../util/index.js'
import { type SocketPath, socketPathIn } from './folder-socket.js'

/** Name of the control socket in a data folder. The process that listens on it owns the folder. */
export const CONTROL_SOCKET = 'control.sock'
/**
 * Name of the lease journal in a data folder. It records requests that a running process has leased from the database
 * and not used yet.
 */
export const LEASE_JOURNAL = 'leases.journal'
const MUTEX = 'control.lock'
/** Age at which a mutex is considered left behind by a killed process. It is normally held for milliseconds. */
const MUTEX_STALE_MS = 5_000
const MUTEX_RETRY_MS = 10
const OWNER_ONLY_FOLDER = 0o700
const OWNER_ONLY_FILE = 0o600

/** A data folder that this process uses exclusively until it is released. */
export interface DataFolder {
  /** Absolute path. */
  readonly path: string
  /** Sets the listener for control connections, which also receives earlier connections. It replaces the previous one. */
  onConnection(listener: (socket: Socket) => void): void
  /** Releases the folder and closes open connections. */
  release(): Promise<void>
}

/**
 * Locks a data folder for this process and creates it if missing, accessible to its owner only. The lock is a listening
 * Unix socket, which the kernel releases with the process, even in containers. A mutex (mkdir) ensures that only one of
 * several processes replaces a stale socket.
 * @throws OperatorError `data_folder_in_use`, `data_folder_unusable`
 */
export async function takeDataFolder(dataDir: string): Promise<DataFolder> {
  const path = resolve(dataDir)
  await createFolder(path).catch((error: unknown) => {
    throw unusable(path, error)
  })
  const name = `control.${randomBytes(6).toString('hex')}.sock`
  const sockets = await socketPathIn(path, name)
  try {
    await refuseIfTaken(path, sockets)
    return await underMutex(path, async () => {
      await refuseIfTaken(path, sockets)
      return await listen(path, sockets, name)
    })
  } catch (error) {
    await sockets.close()
    throw unusable(path, error)
  }
}

function unusable(path: string, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  return new OperatorError('data_folder_unusable', `Cannot use the data folder ${path}: ${reasonOf(error)}`, {
    cause: error,
  })
}

/**
 * Creates a folder and its missing parents. Existing folders keep their mode. Node's recursive `mkdir` is not used,
 * because it never returns below /proc.
 */
async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: OWNER_ONLY_FOLDER })
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error
    await createFolder(dirname(path))
    await mkdir(path, { mode: OWNER_ONLY_FOLDER })
  }
}

async function refuseIfTaken(path: string, sockets: SocketPath): Promise<void> {
  if (!(await isListening(sockets.pathOf(CONTROL_SOCKET)))) return
  throw new OperatorError(
    'data_folder_in_use',
    `The data folder ${path} is in use by another process. Stop that process, or choose another folder`,
  )
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error) => {
      const code = systemCode(error)
      // EAGAIN means a full backlog, so a process is listening.
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(false)
      else if (code === 'EAGAIN') resolve(true)
      else reject(error)
    })
  })
}

async function underMutex<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const mutex = join(folder, MUTEX)
  while (!(await tryMkdir(mutex))) {
    const since = await stat(mutex).then(
      (found) => found.mtimeMs,
      () => Date.now(),
    )
    if (Date.now() - since > MUTEX_STALE_MS) await removeMutex(mutex)
    else await delay(MUTEX_RETRY_MS)
  }
  try {
    return await work()
  } finally {
    await rmdir(mutex).catch(() => undefined)
  }
}

/** Removes a stale mutex, unless another process does. */
async function removeMutex(mutex: string): Promise<void> {
  try {
    await rmdir(mutex)
  } catch (error) {
    // A file in its place would stay for ever.
    if (systemCode(error) !== 'ENOENT') throw error
  }
}

async function tryMkdir(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: OWNER_ONLY_FOLDER })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Listens under a temporary name and then renames the socket, so that no process finds it before it listens. */
async function listen(folder: string, sockets: SocketPath, name: string): Promise<DataFolder> {
  const open = new Set<Socket>()
  const early: Socket[] = []
  let listener: ((socket: Socket) => void) | undefined
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // Clients may disconnect early.
    socket.on('error', () => undefined)
    if (listener === undefined) early.push(socket)
    else listener(socket)
  })
  await listenOn(server, sockets.pathOf(name))
  try {
    await chmod(join(folder, name), OWNER_ONLY_FILE)
    await rename(join(folder, name), join(folder, CONTROL_SOCKET))
  } catch (error) {
    // An open server would keep the process running. It removes its socket.
    server.close()
    throw error
  }
  return {
    path: folder,
    onConnection(next) {
      listener = next
      for (const socket of early.splice(0)) next(socket)
    },
    async release() {
      if (!server.listening) return
      // Removed before it is closed, so that other processes find either no socket or a listening one.
      await unlink(join(folder, CONTROL_SOCKET)).catch(() => undefined)
      const closed = new Promise<void>((done) => server.close(() => done()))
      for (const socket of open) socket.destroy()
      await closed
      await sockets.close()
    },
  }
}

function listenOn(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
