import { access, constants } from 'node:fs/promises'
import { findInPackage } from './debian-package.js'

const path = '/usr/bin/xmllint'

/**
 * xmllint of Debian's package libxml2-utils; it is installed where it is missing and the user is root.
 * @param say takes what is being done, for the person who waits
 */
export function findXmllint(say: (text: string) => void): Promise<string> {
  return findInPackage(
    'libxml2-utils',
    () =>
      access(path, constants.X_OK).then(
        () => path,
        () => undefined,
      ),
    say,
  )
}
