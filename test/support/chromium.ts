import { access, constants } from 'node:fs/promises'
import { findInPackage } from './debian-package.js'

/** Chromium without its window, which takes half the processor time of the whole browser. */
const name = 'chromium-headless-shell'
const path = `/usr/bin/${name}`

/** Switches that silence Chromium and stop its background requests. */
const switches = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Finds Debian's headless Chromium and the arguments to start it. Installs it when it is missing and the user is root;
 * otherwise the error contains the command to run.
 * @param say receives progress messages for the user
 */
export async function findChromium(say: (text: string) => void) {
  const find = () =>
    access(path, constants.X_OK).then(
      () => path,
      () => undefined,
    )
  return { executablePath: await findInPackage(name, find, say), args: switches }
}
