import { readFileSync } from 'node:fs'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import { Ajv, type ValidateFunction } from 'ajv'
import { type FormMessage, formMessages } from './form-messages.js'

/** The kinds of documents: those of files, or the rows of a table. */
type Form = 'scenario' | 'fixture' | 'invariant' | 'entity' | 'table'

let validators: { readonly [kind in Form]: ValidateFunction } | undefined

/**
 * Validates a document against the schema of scenario files. Returns an empty list for a valid
 * document.
 */
export function checkForm(document: JsonValue, kind: Form): readonly FormMessage[] {
  validators ??= compile()
  const validate = validators[kind]
  return validate(document) ? [] : formMessages(validate.errors ?? [])
}

function compile() {
  const schema = JSON.parse(
    readFileSync(new URL('../../scenario/scenario.schema.json', import.meta.url), 'utf8'),
  ) as JsonObject
  const strictness = { strictTypes: false, strictRequired: false }
  const ajv = new Ajv({ allErrors: true, verbose: true, ...strictness, code: { optimize: false } })
  ajv.addKeyword('x-hint')
  ajv.addSchema(schema, 'scenario')
  const definition = (name: string) => ajv.compile({ $ref: `scenario#/definitions/${name}` })
  return {
    scenario: definition('scenarioFile'),
    fixture: definition('fixtureFile'),
    invariant: definition('invariantFile'),
    entity: definition('entityFile'),
    table: definition('table'),
  }
}
