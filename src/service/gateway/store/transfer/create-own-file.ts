import { type FileHandle, open, rm } from 'node:fs/promises'

/**
 * Creates a file that only the current user can read and write. Replaces an existing file, such as one of an unfinished
 * run, instead of opening it: a file that another user has prepared would keep its owner and mode.
 * @throws the system's error if the existing file cannot be removed, or if it exists again
 */
export async function createOwnFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true })
  return open(path, 'wx', 0o600)
}
