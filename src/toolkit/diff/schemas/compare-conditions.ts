import {
  type AssertingKeyword,
  isAnnotation,
  keywordRows,
  type LocatedSchema,
  sameJson,
  schemaMember,
  type TypeAtom,
  tupleKeywords,
} from '../../contract/index.js'
import { effects } from '../effect.js'
import { shown } from '../words.js'
import { allKeywords, bothValues, type Comparison, noteKeyword, notePresence, shares } from './comparison.js'
import { keywordsOf, schemaOrAnything } from './schema-view.js'

/**
 * Keywords whose values cannot be ordered, such as patterns and formats (draft-07 validation, 6.3, 7 and 8).
 */
const texts: readonly (readonly [string, readonly TypeAtom[]])[] = [
  ['pattern', ['string']],
  ['format', ['null', 'boolean', 'object', 'array', 'string', 'integer', 'fraction']],
  ['contentEncoding', ['string']],
  ['contentMediaType', ['string']],
]

/** Compares `pattern`, `format`, `uniqueItems` and similar keywords: added, removed or changed. */
export function compareTexts(comparison: Comparison): void {
  const present = allKeywords(comparison)
  for (const [name, types] of texts) {
    if (present.has(name) && shares(comparison, types)) compareText(comparison, name)
  }
  const [before, after] = Object.values(bothValues(comparison, 'uniqueItems')).map((value) => value === true)
  if (before === after || !shares(comparison, ['array'])) return
  if (after) {
    noteKeyword(comparison, 'uniqueItems', 'constraint-added', effects.narrowed, 'items must be unique')
  } else {
    noteKeyword(comparison, 'uniqueItems', 'constraint-removed', effects.widened, 'items may repeat')
  }
}

function compareText(comparison: Comparison, name: string): void {
  const { before, after } = bothValues(comparison, name)
  if (sameJson(before, after)) return
  const present = before ?? after
  if (before === undefined || after === undefined)
    notePresence(comparison, name, before === undefined, `${name} ${shown(present)}`)
  else {
    const reason = `${name} ${shown(before)} became ${shown(after)}`
    noteKeyword(comparison, name, 'constraint-changed', effects.undecided, reason)
  }
}

/** Compares `not`, and `if` with `then` and `else` (draft-07 validation, sections 6.6 and 6.7). */
export function compareLogic(comparison: Comparison): void {
  compareOptional(comparison, 'not', 'flipped')
  const before = hasCondition(comparison.old)
  const after = hasCondition(comparison.new)
  if (before && after) {
    comparison.descend(before, after, ['if'], 'unclear')
    for (const name of ['then', 'else']) {
      const [old, next] = [comparison.old, comparison.new].map((side) => schemaOrAnything(side, name))
      if (old && next) comparison.descend(old, next, [name])
    }
  } else if (before || after) notePresence(comparison, 'if', Boolean(after), 'a condition (if)')
}

/** Returns the schema of `if`, if `then` or `else` depends on it. */
function hasCondition(side: LocatedSchema): LocatedSchema | undefined {
  return schemaMember(side, 'then') || schemaMember(side, 'else') ? schemaMember(side, 'if') : undefined
}

/** Compares a keyword whose presence narrows the schema. */
export function compareOptional(comparison: Comparison, name: string, turn: 'same' | 'flipped'): void {
  const before = schemaMember(comparison.old, name)
  const after = schemaMember(comparison.new, name)
  if (before && after) comparison.descend(before, after, [name], turn)
  else if (before || after) notePresence(comparison, name, Boolean(after), `a condition (${name})`)
}

/** Keywords that a rule compares. A missing keyword does not compile. */
const compared: Readonly<Record<AssertingKeyword, true>> = {
  ...named('$ref', 'type', 'enum', 'const', 'allOf', 'anyOf', 'oneOf', 'not', 'if'),
  ...named('minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'),
  ...named('minLength', 'maxLength', 'pattern', 'format'),
  ...named('items', 'additionalItems', 'contains', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems'),
  ...named('properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required'),
  ...named('minProperties', 'maxProperties', 'unevaluatedProperties'),
  ...named('dependencies', 'dependentRequired', 'dependentSchemas'),
}

function named<Name extends AssertingKeyword>(...names: readonly Name[]): Readonly<Record<Name, true>> {
  return Object.fromEntries(names.map((name) => [name, true])) as Record<Name, true>
}

/** Keywords that are compared together with the keyword that they modify, or as texts. */
const others: ReadonlySet<string> = new Set(['then', 'else', 'contentEncoding', 'contentMediaType'])

/** Compares other keywords. Their effect is unknown, so any change of them is reported. */
export function compareUnknown(comparison: Comparison): void {
  for (const name of allKeywords(comparison)) {
    if (Object.hasOwn(compared, name) || others.has(name) || isAnnotation(name)) continue
    if ([comparison.old, comparison.new].some((side) => tupleKeywords(keywordsOf(side))?.first === name))
      continue
    const { before, after } = bothValues(comparison, name)
    if (sameJson(before, after)) continue
    const end = keywordRows.has(name) ? '' : ', which is not a keyword of JSON Schema'
    noteKeyword(comparison, name, 'constraint-changed', effects.undecided, `${shown(name)} changed${end}`)
  }
}
