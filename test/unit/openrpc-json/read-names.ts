import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defaultLimits } from '../../../src/runtime/server/index.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The text of the files in a folder, without comments. */
function sourceOf(folder: string): string {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|yaml)$/.test(name) && !/(?:^|\/)(?:dist|node_modules)\//.test(name))
    .map((name) => readFileSync(`${root}${folder}/${name}`, 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*(?:\/\/|#).*$/gm, '')
}

/** Code of the service, of its client and of its server, and the cases of the suite. */
const code = ['src/service/gateway', 'src/service/node-access', 'conformance', 'lab/faults']
  .map(sourceOf)
  .join('\n')

/**
 * True if code reads a member of generated data by its name: `limits.batchItems`, `{ batchItems } = limits`, or
 * `${limit.batchItems}` of a case.
 */
export const isReadByName = (name: string): boolean =>
  name in defaultLimits || new RegExp(`[.{,]\\s*${name}\\b`).test(code)

const service = `${sourceOf('src/service/gateway')}${sourceOf('src/runtime/server')}`

/** True if the service or its server names a failure. */
export const isFailureOfService = (name: string): boolean => new RegExp(`['.{,]\\s*${name}\\b`).test(service)
