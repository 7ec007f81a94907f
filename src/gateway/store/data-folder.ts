import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rename, rmdir, stat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type SocketPath, socketPathIn } from './folder-socket.js'
import { OperatorError, reasonOf, systemCode } from './operator-error.js'

/** The control socket's name in a data folder: whoever listens on it owns the folder. */
export const CONTROL_SOCKET = 'control.sock'
const MUTEX = 'control.lock'
/** The mutex is held for milliseconds; one as old as this was left by a killed process. */
const MUTEX_STALE_MS = 5_000
const MUTEX_RETRY_MS = 10
const OWNER_ONLY_FOLDER = 0o700
const OWNER_ONLY_FILE = 0o600

/** A data folder that this process alone uses until it is released. */
export interface DataFolder {
  /** Absolute path. */
  readonly path: string
  /** Takes connections to the control socket, also those that came before; a later listener replaces it. */
  onConnection(listener: (socket: Socket) => void): void
  /** Gives the folder up; connections still open are cut. */
  release(): Promise<void>
}

/**
 * Takes a data folder for this process, creating it for its owner only. The lock is a listening Unix socket
 * in the folder: the kernel frees it with its process, in containers too, where process ids say nothing.
 * Taking it happens under a mutex (mkdir), so that of any number of contenders one replaces a stale socket.
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
  return new OperatorError(
    'data_folder_unusable',
    `The data folder ${path} cannot be used: ${reasonOf(error)}`,
    { cause: error },
  )
}

/**
 * Makes a folder and those above it that are missing. One that was there before keeps its mode, as it may be anybody's;
 * what is put into it is the owner's alone. Node's own recursive form never returns below /proc.
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
  if (!(await someoneListens(sockets.pathOf(CONTROL_SOCKET)))) return
  throw new OperatorError(
    'data_folder_in_use',
    `The data folder ${path} is in use by another process: stop it, or choose another folder`,
  )
}

function someoneListens(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error) => {
      const code = systemCode(error)
      // A full backlog is somebody's too.
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
    if (Date.now() - since > MUTEX_STALE_MS) await rmdir(mutex).catch(() => undefined)
    else await delay(MUTEX_RETRY_MS)
  }
  try {
    return await work()
  } finally {
    await rmdir(mutex).catch(() => undefined)
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

/** Listens under a name of its own and moves the socket into place: nobody finds it before it listens. */
async function listen(folder: string, sockets: SocketPath, name: string): Promise<DataFolder> {
  const open = new Set<Socket>()
  const early: Socket[] = []
  let listener: ((socket: Socket) => void) | undefined
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // Whoever hangs up before being heard is no concern of ours.
    socket.on('error', () => undefined)
    if (listener === undefined) early.push(socket)
    else listener(socket)
  })
  await listenOn(server, sockets.pathOf(name))
  await chmod(join(folder, name), OWNER_ONLY_FILE)
  await rename(join(folder, name), join(folder, CONTROL_SOCKET))
  return {
    path: folder,
    onConnection(next) {
      listener = next
      for (const socket of early.splice(0)) next(socket)
    },
    async release() {
      if (!server.listening) return
      // First out of sight, then closed: a newcomer finds no socket, or a living one.
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
