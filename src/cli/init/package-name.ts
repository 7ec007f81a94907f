import { basename } from 'node:path'

/** Maximum length of a package name in npm. */
const nameMost = 214

/** Names reserved by npm or by the project's own dependency. */
const taken = ['node_modules', 'favicon.ico', 'concordat']

/** Derives a valid npm package name from the name of a folder. */
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
