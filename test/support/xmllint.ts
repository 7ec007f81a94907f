import { access, constants } from 'node:fs/promises'
import { findInPackage } from './debian-package.js'

const path = '/usr/bin/xmllint'

/**
 * Ensures that xmllint exists (Debian's package libxml2-utils). Installs it when it is missing and the user is root.
 * @param say receives progress messages for the user
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
