import { type LocatedSchema, schemaMap } from '../../model/schema.js'
import { type Effect, effects } from '../effect.js'
import { shown } from '../words.js'
import { compareOptional } from './compare-conditions.js'
import { compareDependencies } from './compare-dependencies.js'
import { compareNamedMembers } from './compare-named-members.js'
import { type Comparison, noteKeyword, shares } from './comparison.js'
import { schemaOrAnything, takesAnything } from './schema-view.js'

/** Compares the keywords for objects (draft-07 validation, section 6.5) except counts of members. */
export function compareMembers(comparison: Comparison): void {
  if (!shares(comparison, ['object'])) return
  compareNamedMembers(comparison)
  comparePatterns(comparison)
  compareAdditional(comparison)
  compareOptional(comparison, 'propertyNames', 'same')
  compareDependencies(comparison)
}

function compareAdditional(comparison: Comparison): void {
  const [before, after] = additional(comparison)
  if (before.schema !== false && after.schema === false) {
    const reason = 'no longer accepts undescribed members'
    noteKeyword(comparison, 'additionalProperties', 'members-closed', effects.narrowed, reason)
  } else if (before.schema === false && takesAnything(after)) {
    const reason = 'accepts undescribed members now'
    noteKeyword(comparison, 'additionalProperties', 'members-opened', effects.widened, reason)
  } else comparison.descend(before, after, ['additionalProperties'])
}

function additional({ old, new: next }: Comparison): readonly [LocatedSchema, LocatedSchema] {
  return [schemaOrAnything(old, 'additionalProperties'), schemaOrAnything(next, 'additionalProperties')]
}

function comparePatterns(comparison: Comparison): void {
  const [before, after] = [comparison.old, comparison.new].map(
    (side) => new Map(schemaMap(side, 'patternProperties')),
  )
  const [oldRest, newRest] = additional(comparison)
  for (const pattern of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
    const [old, next] = [before?.get(pattern), after?.get(pattern)]
    if (old && next) comparison.descend(old, next, ['patternProperties', pattern])
    else if (next) {
      const reason = `gained a schema for members matching ${shown(pattern)}`
      noteKeyword(comparison, 'patternProperties', 'constraint-added', againstRest(oldRest, true), reason)
    } else {
      const reason = `lost the schema for members matching ${shown(pattern)}`
      noteKeyword(comparison, 'patternProperties', 'constraint-removed', againstRest(newRest, false), reason)
    }
  }
}

/** Returns the effect of adding or removing a pattern, which depends on the schema of the other members. */
function againstRest(rest: LocatedSchema, isAdded: boolean): Effect {
  if (rest.schema === false) return isAdded ? effects.widened : effects.narrowed
  if (takesAnything(rest)) return isAdded ? effects.narrowed : effects.widened
  return effects.undecided
}
