import { execFile } from 'node:child_process'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Scope } from './scope.js'

const run = promisify(execFile)

/** A small disk in memory. */
export interface Disk {
  readonly folder: string
  /** Writes a file until no space is left. */
  fill(): Promise<void>
  /** Removes the file that `fill` wrote. */
  free(): Promise<void>
  setReadOnly(isReadOnly: boolean): Promise<void>
}

/** Returns true if this process may mount a disk. */
export const canMount = () => process.getuid?.() === 0

/**
 * Mounts a disk in memory, and unmounts it when the run ends.
 * @param megabytes size of the disk
 */
export async function mountDisk(t: Scope, folder: string, megabytes: number): Promise<Disk> {
  await mkdir(folder)
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', folder])
  t.teardown(() => run('umount', ['--lazy', folder]))
  const filler = join(folder, 'filler')
  return {
    folder,
    async fill() {
      const file = await open(filler, 'w')
      const piece = Buffer.alloc(65_536)
      try {
        for (;;) await file.write(piece)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler, { force: true }),
    setReadOnly: async (isReadOnly) => {
      await run('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder])
    },
  }
}
