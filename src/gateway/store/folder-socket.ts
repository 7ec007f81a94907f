import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from './operator-error.js'

/** Bytes that the path of a Unix socket may have on every system that has them (sun_path, less its end). */
const SOCKET_PATH_BYTES = 103

/** A path under which a socket of a folder can be bound and connected to, however long the folder's own is. */
export interface SocketPath {
  pathOf(name: string): string
  /** Call when no socket is bound or being connected through it any more. */
  close(): Promise<void>
}

/**
 * Finds a path for sockets in a folder. One that is too long for the system is reached on Linux through the
 * open folder (`/proc/self/fd/N/…`).
 * @throws OperatorError `data_folder_unusable` where that is not possible.
 */
export async function socketPathIn(folder: string, longestName: string): Promise<SocketPath> {
  if (Buffer.byteLength(join(folder, longestName)) <= SOCKET_PATH_BYTES) {
    return { pathOf: (name) => join(folder, name), close: async () => undefined }
  }
  if (process.platform !== 'linux') {
    throw new OperatorError(
      'data_folder_unusable',
      `The path of the data folder ${folder} is too long for a control socket in it: choose a shorter one`,
    )
  }
  const handle: FileHandle = await open(folder, 'r')
  return { pathOf: (name) => `/proc/self/fd/${handle.fd}/${name}`, close: () => handle.close() }
}
