import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../util/index.js'

/** Maximum length of a Unix socket's path in bytes on all systems (`sun_path` without the terminator). */
const SOCKET_PATH_BYTES = 103

/** Short paths to the sockets of a folder. */
export interface SocketPath {
  pathOf(name: string): string
  /** Must be called once the paths are no longer in use. */
  close(): Promise<void>
}

/**
 * Finds a path for sockets in a folder. On Linux, a path that is too long is replaced by one through the open folder
 * (`/proc/self/fd/N/…`).
 * @param longestName longest name of a socket in the folder
 * @throws OperatorError `data_folder_unusable` if the path is too long on other systems
 */
export async function socketPathIn(folder: string, longestName: string): Promise<SocketPath> {
  if (Buffer.byteLength(join(folder, longestName)) <= SOCKET_PATH_BYTES) {
    return { pathOf: (name) => join(folder, name), close: async () => undefined }
  }
  if (process.platform !== 'linux') {
    throw new OperatorError(
      'data_folder_unusable',
      `The path of the data folder ${folder} is too long for its control socket. Choose a shorter path`,
    )
  }
  const handle: FileHandle = await open(folder, 'r')
  return { pathOf: (name) => `/proc/self/fd/${handle.fd}/${name}`, close: () => handle.close() }
}
