import { createHash } from 'node:crypto'
import { derivedScenarios } from '../../cases/index.js'
import type { Emitter } from '../generated-file.js'
import { jsonHeader } from '../header.js'
import { jsonText } from '../json-text.js'

/**
 * Emits conformance.json: the scenarios derived from the contract, as a scenario file in which each has an
 * `id`.
 */
export const emitConformance: Emitter = (source) => {
  const { contract } = source
  const sha256 = createHash('sha256').update(JSON.stringify(contract.document)).digest('hex')
  const content = {
    ...jsonHeader(source),
    contract: { title: contract.title, version: contract.version, sha256 },
    scenarios: derivedScenarios(contract),
  }
  return { path: 'conformance.json', content: `${jsonText(content)}\n` }
}
