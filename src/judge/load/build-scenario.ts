import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringMember,
} from '../../toolkit/contract/index.js'
import type { Effect } from '../report/index.js'
import type { Fixture, Scenario, Step } from '../scenario/scenario.js'
import { buildStep } from './build-step.js'

/** Facts about a scenario that are not part of its document. */
export interface ScenarioPlace {
  readonly id: string
  readonly builtIn: boolean
  readonly origin: Scenario['origin']
  readonly source: Scenario['source']
}

/** Builds a scenario from a document that conforms to the schema. */
export function buildScenario(document: JsonObject, place: ScenarioPlace): Scenario {
  return {
    ...place,
    group: place.id.slice(0, place.id.indexOf('/')),
    scenario: stringMember(document, 'scenario') ?? '',
    rules: texts(member(document, 'rule')),
    effect: (stringMember(document, 'effect') ?? 'read') as Effect,
    networks: texts(member(document, 'network')),
    needs: texts(member(document, 'needs')),
    after: texts(member(document, 'after')),
    followsHead: member(document, 'follows-head') === true,
    alone: member(document, 'alone') === true,
    steps: stepsOf(document),
  }
}

/** Builds a fixture from a document that conforms to the schema. */
export function buildFixture(document: JsonObject, place: Pick<Fixture, 'name' | 'source'>): Fixture {
  return {
    ...place,
    fixture: stringMember(document, 'fixture') ?? '',
    needs: texts(member(document, 'needs')),
    steps: stepsOf(document),
    still: stepsOf(document, 'still'),
    anchor: member(document, 'anchor') === true,
    optional: member(document, 'optional') === true,
  }
}

/** Builds the steps in a member of a document that conforms to the schema. */
export function stepsOf(document: JsonObject, name: 'steps' | 'still' = 'steps'): readonly Step[] {
  const steps = member(document, name)
  return (isArray(steps) ? steps : []).filter(isObject).map(buildStep)
}

/** Returns a single string or a list of strings as a list. */
function texts(value: JsonValue | undefined): readonly string[] {
  const list = isArray(value) ? value : value === undefined ? [] : [value]
  return list.filter((item) => typeof item === 'string')
}
