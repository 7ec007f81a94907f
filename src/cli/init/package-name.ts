import { basename } from 'node:path'

/** Characters that npm lets a name have at most. */
const nameMost = 214

/** Names that npm, or the project's own dependency, has for itself. */
const taken = ['node_modules', 'favicon.ico', 'concordat']

/** A name for the package in a folder that npm takes: the folder's own, as far as it can be. */
export function packageName(folder: string): string {
  const name = basename(folder)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, nameMost)
    .replace(/[._-]+$/, '')
  return name === '' || taken.includes(name) ? 'json-rpc-service' : name
}
