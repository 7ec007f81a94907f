import { type Contract, failureCode, type JsonObject, type Method, replacedAt } from '../../contract/index.js'
import { createValueJudge, type ValuelessPart } from '../../values/index.js'
import { called, segment } from '../case-text.js'
import { literalTemplate } from '../literal-template.js'
import { type Given, sentParams } from '../params/given-params.js'
import { feedsOf, type Inlet } from './feeds.js'
import { lawsOf } from './law-steps.js'
import { chosen, createMethodCalls } from './method-calls.js'
import { accepts, again, answered, type Content } from './valid-steps.js'

/** Options for generating calls. */
export interface ExploreOptions {
  /** Maximum number of calls in all cases. */
  readonly calls: number
  readonly seed: number
  /** True for methods that may be called. */
  readonly mayCall: (method: string) => boolean
}

/** Maximum number of calls whose results feed one another. */
const depthMost = 3
/** A method is finished after this many cases without a new call. */
const repeatsMost = 24

/** Kinds of cases, in the order in which a method gets them. */
const kinds = [
  'usual',
  'again',
  'fed',
  'edge',
  'invalid',
  'again',
  'varied',
  'fed',
  'edge',
  'law',
  'fed again',
  'varied',
] as const

/**
 * Generates cases from the schemas of a contract, as a document `{ scenarios: [...], not-run: [...] }`. They are valid
 * calls, calls that violate one constraint, sequences in which results become parameters, repeated calls, and the laws
 * that methods state (`x-laws`). The methods take turns. A case depends on the contract, the callable methods, its
 * method, the seed and its number.
 */
export function exploredCases(contract: Contract, { calls, seed, mayCall }: ExploreOptions): JsonObject {
  const explore = createExplorer(contract, mayCall)
  const seen = new Set<string>()
  const scenarios: JsonObject[] = []
  let left = calls
  let open = explore.methods.map((method) => ({ method, repeats: 0 }))
  for (let number = 1; open.length > 0 && left > 0; number++) {
    for (const entry of open) {
      const found = explore.caseOf(entry.method, seed, number)
      const text = JSON.stringify(found?.['steps'])
      const cost = found === undefined ? 0 : callsIn(found)
      // Repeated calls look for faults that occur now and then, so the same ones are sent again.
      if (found === undefined || (seen.has(text) && !isRepeated(number))) entry.repeats++
      else if (cost <= left) {
        entry.repeats = 0
        seen.add(text)
        scenarios.push(found)
        left -= cost
      }
    }
    open = open.filter(({ repeats }) => repeats < repeatsMost)
  }
  return { scenarios, 'not-run': explore.valueless }
}

/** Generates the case with an id again. Returns undefined for an id of another kind. */
export function exploredCase(
  contract: Contract,
  id: string,
  mayCall: ExploreOptions['mayCall'],
): JsonObject | undefined {
  const [, name, seed, number] = /^explored\/([^/]+)\/(\d+)-(\d+)$/.exec(id) ?? []
  const explore = createExplorer(contract, mayCall)
  const method = explore.methods.find((one) => segment(one.name) === name)
  return method && explore.caseOf(method, Number(seed), Number(number))
}

function kindOf(number: number): (typeof kinds)[number] {
  return kinds[(number - 1) % kinds.length] ?? 'usual'
}

function isRepeated(number: number): boolean {
  return kindOf(number).endsWith('again')
}

function callsIn({ steps }: JsonObject): number {
  return [steps]
    .flat()
    .reduce<number>((sum, step) => sum + (JSON.stringify(step).match(/"call":/g)?.length ?? 0), 0)
}

function createExplorer(contract: Contract, mayCall: ExploreOptions['mayCall']) {
  const valuelessParts = createValueJudge(contract)
  const callable = contract.methods
    .filter(({ name, result }) => result !== undefined && mayCall(name))
    .map((method) => ({ method, parts: valuelessParts(method) }))
  // Without a possible result every answer would fail, which says nothing about the service.
  const methods = callable.flatMap(({ method, parts }) =>
    parts.some(({ part }) => part === 'the result') ? [] : [method],
  )
  const valueless = callable.flatMap(({ method, parts: [first] }) => (first ? [notRun(method, first)] : []))
  const callsOf = createMethodCalls(contract)
  const feeds = feedsOf(contract, methods)
  return { methods, valueless, caseOf }

  function caseOf(method: Method, seed: number, number: number): JsonObject | undefined {
    const text = `${seed} ${method.name} ${number}`
    const kind = kindOf(number)
    const made = contentOf(method, kind, text)
    if (made === undefined) return undefined
    const { words, steps, followsHead } = made
    return {
      id: `explored/${segment(method.name)}/${seed}-${number}`,
      scenario: `${called(method)} ${words} (seed ${seed}, number ${number}).`,
      effect: steps.some(([one]) => one.extensions['x-effect'] === 'write') ? 'write' : 'read',
      ...(followsHead ? { 'follows-head': true } : {}),
      steps: steps.map(([, step]) => step),
    }
  }

  function contentOf(method: Method, kind: (typeof kinds)[number], text: string): Content | undefined {
    const own = callsOf(method)
    const law = kind === 'law' ? chosen(lawsOf(contract, method), text) : undefined
    if (law !== undefined) {
      const steps = [own.usual, own.edge].flatMap((source) => {
        const given = source(text)
        return given === undefined ? [] : [law.steps(given)]
      })
      const found = chosen(
        steps.filter((one) => one !== undefined),
        text,
      )
      return (
        found && { words: law.words, steps: found.map((step) => [method, step] as const), followsHead: true }
      )
    }
    if (kind === 'fed' || kind === 'fed again') {
      const found = fed(method, text)
      if (found !== undefined) return kind === 'fed' ? found : again(found)
    }
    if (kind === 'again' || kind === 'fed again') {
      const once = plain(method, (chosen([own.usual, own.varied], text) ?? own.usual)(text), 'accepts')
      return again(once) ?? plain(method, own.varied(text), `${accepts(method)} varied parameters`)
    }
    if (kind === 'invalid') {
      const given = own.invalid(text)
      const content = plain(method, given, 'refuses parameters that violate one constraint')
      const [[, step] = []] = content?.steps ?? []
      return (
        step && {
          words: content?.words ?? '',
          steps: [[method, { ...step, expect: { error: { code: failureCode(contract, 'invalidParams') } } }]],
        }
      )
    }
    if (kind === 'edge')
      return plain(method, own.edge(text), `${accepts(method)} parameters at the edges of their schemas`)
    if (kind === 'usual') return plain(method, own.usual(text), `${accepts(method)} usual parameters`)
    return plain(method, own.varied(text), `${accepts(method)} varied parameters`)
  }

  function plain(method: Method, given: Given | undefined, words: string): Content | undefined {
    const params = given && sentParams(method, given)
    if (params === undefined) return undefined
    return { words, steps: [[method, answered(method, literalTemplate(params))]] }
  }

  /** A sequence that ends with the method. */
  function fed(method: Method, text: string): Content | undefined {
    const steps = chain(method, text, depthMost)
    const words = `${accepts(method)} what other results contain`
    return steps && steps.length > 1 ? { words, steps } : undefined
  }

  function chain(method: Method, text: string, depth: number): Content['steps'] | undefined {
    const own = callsOf(method)
    const given =
      depth === depthMost ? (chosen([own.usual, own.varied], text) ?? own.usual)(text) : own.usual(text)
    if (given === undefined) return undefined
    const inlet =
      depth > 1 ? chosen(usableInlets(feeds.get(method.name) ?? [], given), `inlet ${text}`) : undefined
    const outlet = inlet && chosen(inlet.outlets, `outlet ${text}`)
    const before = outlet && chain(outlet.method, text, depth - 1)
    const name = `v${depth}`
    const values = given.map((value) => (value === undefined ? undefined : literalTemplate(value)))
    if (!(inlet && outlet && before)) {
      const params = sentParams(method, values)
      return params === undefined ? undefined : [[method, answered(method, params)]]
    }
    const params = sentParams(
      method,
      values.map((value, at) =>
        at === inlet.position ? replacedAt(value, inlet.members, `\${${name}}`) : value,
      ),
    )
    if (params === undefined) return undefined
    const capturing = before.map(([one, step], at) =>
      at === before.length - 1
        ? ([one, { ...step, capture: { [name]: outlet.path } }] as const)
        : ([one, step] as const),
    )
    return [...capturing, [method, answered(method, params)]]
  }
}

/** The entry of a method for which no calls, or not all, can be generated, with the reason. */
function notRun(method: Method, { pointer, part }: ValuelessPart): JsonObject {
  return {
    id: `explored/${segment(method.name)}/no-value`,
    scenario: `${called(method)} is called with generated values.`,
    reason: `no value was found for ${part} (${pointer}): correct keywords that contradict each other, or add examples`,
  }
}

/** Inlets whose place the parameters have. */
function usableInlets(inlets: readonly Inlet[], given: Given): readonly Inlet[] {
  return inlets.filter(
    ({ position, members }) =>
      replacedAt(given[position], members, null) !== undefined && given[position] !== undefined,
  )
}
