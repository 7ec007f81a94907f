import { basename } from 'node:path'
import { packageNameMost, reservedNames } from '../../toolkit/codegen/index.js'

/** Names reserved by npm or by the project's own dependency. */
const taken = [...reservedNames, 'concordat']

/** Returns the name of the contract's package. */
export function contractName(service: string): string {
  return `${service}-contract`
}

/** Derives a valid npm package name of the service from the name of a folder. */
export function packageName(folder: string): string {
  const name = basename(folder)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, packageNameMost - contractName('').length)
    .replace(/[._-]+$/, '')
  return name === '' || taken.includes(name) ? 'json-rpc-service' : name
}
