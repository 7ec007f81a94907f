import { createHash } from 'node:crypto'
import type { JsonObject } from '../../contract/index.js'
import { deriveCases } from '../derive/derive-cases.js'
import type { DerivedCase } from '../derive/derived-case.js'
import { jsonText } from '../derive/json-text.js'
import { literalTemplate } from '../derive/literal-template.js'
import type { Emitter } from '../generated-file.js'
import { jsonHeader } from '../header.js'

/**
 * Emits conformance.json: the scenarios derived from the contract, as a scenario file in which each has an
 * `id`.
 */
export const emitConformance: Emitter = (source) => {
  const { contract } = source
  const sha256 = createHash('sha256').update(JSON.stringify(contract.document)).digest('hex')
  const ids = new Map<string, number>()
  const content = {
    ...jsonHeader(source),
    contract: { title: contract.title, version: contract.version, sha256 },
    scenarios: deriveCases(contract).map((found) => scenario(found, uniqueId(caseId(found), ids))),
  }
  return { path: 'conformance.json', content: `${jsonText(content)}\n` }
}

function scenario(found: DerivedCase, id: string): JsonObject {
  const { method, rules, network, params, expect, tolerate } = found
  return {
    id,
    scenario: found.scenario,
    ...(rules.length > 0 ? { rule: rules.length === 1 ? (rules[0] ?? null) : rules } : {}),
    effect: method.extensions['x-effect'] === 'write' ? 'write' : 'read',
    ...(network === undefined ? {} : { network }),
    steps: [
      {
        call: literalTemplate(method.name),
        params: literalTemplate(params),
        ...(expect ? { expect } : {}),
        ...(tolerate.length > 0
          ? { tolerate: tolerate.map((one) => ({ ...one, 'depends-on': 'implementation' })) }
          : {}),
      },
    ],
  }
}

function caseId({ method, name }: DerivedCase): string {
  return `derived/${segment(method.name)}/${segment(name)}`
}

/** Appends a number to ids that are already taken, because examples can share a name. */
function uniqueId(id: string, taken: Map<string, number>): string {
  const count = (taken.get(id) ?? 0) + 1
  taken.set(id, count)
  return count === 1 ? id : uniqueId(`${id}-${count}`, taken)
}

/**
 * Encodes a name as one segment of an id. Blanks become `-`; characters other than letters, digits, `-`, `_`,
 * `.`, `[` and `]` are percent-encoded.
 */
export function segment(name: string): string {
  const words = name.trim().replaceAll(/\s+/g, '-')
  const characters = words === '' ? ['-'] : [...words]
  return characters
    .map((character) => (/[\p{L}\p{N}\-_.[\]]/u.test(character) ? character : encoded(character)))
    .join('')
}

/** Unpaired surrogates cannot be percent-encoded. */
function encoded(character: string): string {
  const isHalf = /^[\ud800-\udfff]$/.test(character)
  return isHalf
    ? `%u${character.charCodeAt(0).toString(16)}`
    : encodeURIComponent(character).replaceAll(/[!'()*~]/g, percent)
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
