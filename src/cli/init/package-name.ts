import { basename } from 'node:path'
import { printable } from '../diff-printable.js'
import { UsageError } from '../io.js'

/** Characters that npm lets a name have at most. */
const nameMost = 214

/** Names that npm, or the project's own dependency, has for itself. */
const taken = ['node_modules', 'concordat']

/**
 * The name of the package in a folder, which is the folder's.
 * @throws UsageError where npm would not take it
 */
export function packageName(folder: string): string {
  const name = basename(folder)
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name) || name.length > nameMost) {
    throw new UsageError(
      `a package cannot be called "${printable(name)}": name the folder with lower-case letters, digits, - . and _`,
    )
  }
  if (taken.includes(name)) throw new UsageError(`"${name}" is taken: choose another name for the folder`)
  return name
}
