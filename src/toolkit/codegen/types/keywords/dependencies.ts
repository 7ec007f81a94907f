// Keywords that make requirements depend on members: `dependencies` (draft-07 validation, section 6.5.7), `dependentRequired`
// (2020-12 validation, section 6.5.4) and `dependentSchemas` (2020-12 core, section 10.2.2.4).

import { isArray, isObject, type JsonValue, type LocatedSchema, member } from '../../../contract/index.js'
import { anything, type Case, presence, product } from '../condition-cases.js'
import { code, type Keyword } from '../note-text.js'
import { stringList } from './any-type.js'

/** Returns the cases of members that require others. */
export function dependencyCases(located: LocatedSchema, keyword: string): readonly Case[] {
  const listed = isObject(located.schema) ? member(located.schema, keyword) : undefined
  if (!isObject(listed)) return anything
  return product(
    Object.entries(listed).flatMap(([name, wanted]) => {
      if (!isArray(wanted)) return []
      const all = [name, ...stringList(wanted)].map((one) => [presence(one, 'present')])
      return [[presence(name, 'absent'), ...product(all)]]
    }),
  )
}

/** Names the members that require others. */
export function dependencyNotes(value: Keyword): readonly string[] {
  return [
    ...notesOf(value('dependencies')),
    ...notesOf(value('dependentRequired')),
    value('dependentSchemas') === undefined ? '' : 'Further conditions apply.',
  ]
}

function notesOf(value: JsonValue | undefined): readonly string[] {
  if (!isObject(value)) return []
  return Object.entries(value).map(([name, wanted]) => {
    if (isArray(wanted))
      return `${code(name)} requires ${wanted.map((item) => code(String(item))).join(', ')}.`
    return `Further conditions apply if ${code(name)} is present.`
  })
}
