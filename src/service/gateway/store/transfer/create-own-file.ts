import { type FileHandle, open, rm } from 'node:fs/promises'

/**
 * Creates a file that only this user reads and writes, instead of an unfinished one of an earlier run. A file that somebody
 * has prepared at the path would keep its owner and mode, so it is never opened.
 * @throws the system's error if the file cannot be removed, or is there again
 */
export async function createOwnFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true })
  return open(path, 'wx', 0o600)
}
