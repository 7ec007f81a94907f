import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findInPackage } from './debian-package.js'

const run = promisify(execFile)

/**
 * Sees to it that `python3` can be run; Debian's package is installed where it is missing and the user is root.
 * @param say takes what is being done, for the person who waits
 */
export async function findPython(say: (text: string) => void): Promise<string> {
  const find = () =>
    run('python3', ['--version']).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    )
  return findInPackage('python3', find, say)
}
