import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findInPackage } from './debian-package.js'

const run = promisify(execFile)

/**
 * Ensures that `python3` is installed. Installs Debian's package when it is missing and the user is root.
 * @param say receives progress messages for the user
 */
export async function findPython(say: (text: string) => void): Promise<string> {
  const find = () =>
    run('python3', ['--version']).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    )
  return findInPackage('python3', find, say)
}
