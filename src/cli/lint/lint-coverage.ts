import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import {
  contractTerms,
  type Invariants,
  loadScenarios,
  type RuleReason,
  readRuleReasons,
  type Scenario,
  ScenarioError,
} from '../../judge/index.js'
import { deriveCases } from '../../toolkit/cases/index.js'
import type { Contract } from '../../toolkit/contract/index.js'
import type { LintFinding } from '../../toolkit/lint/index.js'
import { UsageError } from '../io.js'

/** Name of the scenario folder that is read next to a document. */
const scenarioFolderName = 'conformance'

/** File with the rules that have no case, and why. It is stored with the scenarios. */
const withoutCase = 'rules-without-case.yaml'

/** Lint rules that check a contract together with its scenarios. */
export const coverageRules = [
  {
    name: 'rule-without-case',
    severity: 'error',
    summary: `Each mandatory rule of "x-rules" has a case, or a reason in ${scenarioFolderName}/${withoutCase}.`,
  },
  {
    name: 'case-of-no-rule',
    severity: 'error',
    summary: 'The rules that scenarios refer to are in "x-rules".',
  },
  {
    name: 'scenario-not-usable',
    severity: 'error',
    summary: 'The scenarios next to the document are valid.',
  },
] as const

/** The scenarios of a contract, and rules with a reason for having none. */
export interface LintedScenarios {
  readonly scenarios: readonly Scenario[]
  readonly invariants: Invariants['invariants']
  readonly exceptions: readonly RuleReason[]
  /** Problems in the scenario files. */
  readonly problems: readonly LintFinding[]
}

/**
 * Reads the scenarios of a document.
 * @param given the folder given with --scenarios; undefined reads the one next to the document, if it has
 *   scenarios
 * @param base the document's folder; file names of findings are relative to it
 * @returns undefined if there are no scenarios
 * @throws UsageError when the given folder does not exist
 */
export async function readLintedScenarios(
  given: string | undefined,
  base: string,
): Promise<LintedScenarios | undefined> {
  const folder = given ?? join(base, scenarioFolderName)
  if (!existsSync(folder)) {
    if (given === undefined) return undefined
    throw new UsageError(`${given}: the folder does not exist`)
  }
  if (given === undefined && !(await holdsYaml(folder))) return undefined
  const list = join(folder, withoutCase)
  try {
    const { scenarios, invariants } = await loadScenarios(folder, { builtIn: false })
    const exceptions = existsSync(list) ? readRuleReasons(await readFile(list, 'utf8'), list) : []
    return { scenarios, invariants: invariants.invariants, exceptions, problems: [] }
  } catch (cause) {
    if (!(cause instanceof ScenarioError)) throw cause
    const problems = cause.problems.map((problem) => finding('scenario-not-usable', problem, base))
    return { scenarios: [], invariants: [], exceptions: [], problems }
  }
}

async function holdsYaml(folder: string): Promise<boolean> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.some((name) => /\.ya?ml$/i.test(name))
}

/** Mandatory rules without a case, and unknown rules in cases. */
export interface CoverageProblems {
  /** Findings at places of the contract. */
  readonly ofContract: readonly {
    readonly rule: string
    readonly pointer: string
    readonly message: string
  }[]
  /** Findings at places of scenario files. */
  readonly ofFiles: readonly LintFinding[]
}

/** Compares the rules of a contract with its written and derived cases. */
export function coverageProblems(
  contract: Contract,
  { scenarios, invariants, exceptions, problems }: LintedScenarios,
  base: string,
): CoverageProblems {
  // If some scenarios are invalid, coverage is unknown.
  if (problems.length > 0) return { ofContract: [], ofFiles: problems }
  const { rules } = contractTerms(contract)
  const ids = new Set(rules.map(({ id }) => id))
  const tried = new Set([...scenarios, ...deriveCases(contract)].flatMap(({ rules: ofCase }) => ofCase))
  const excepted = new Set(exceptions.map(({ rule }) => rule))
  const untried = rules.filter(
    ({ id, level }) => level === 'mandatory' && !tried.has(id) && !excepted.has(id),
  )
  return {
    ofContract: untried.map(({ id, pointer }) => ({
      rule: 'rule-without-case',
      pointer,
      message: `no case tests "${id}": write a scenario, or add a reason to ${withoutCase}`,
    })),
    ofFiles: [
      ...[...scenarios, ...invariants].flatMap((scenario) =>
        scenario.rules
          .filter((id) => !ids.has(id))
          .map((id) => {
            const { file, line } = scenario.source
            const message = `"${scenario.id}" refers to the rule "${id}", which is not in "x-rules": correct the id`
            return finding('case-of-no-rule', { file, line, column: 1, message }, base)
          }),
      ),
      ...exceptions.flatMap(({ rule, source }) => {
        const message = !ids.has(rule)
          ? `"x-rules" has no rule "${rule}": correct or remove it`
          : tried.has(rule)
            ? `"${rule}" has a case now: remove this entry`
            : undefined
        return message === undefined ? [] : [finding('case-of-no-rule', { ...source, message }, base)]
      }),
    ],
  }
}

function finding(
  rule: (typeof coverageRules)[number]['name'],
  place: { readonly file: string; readonly line: number; readonly column: number; readonly message: string },
  base: string,
): LintFinding {
  const { file, line, column, message } = place
  // File names are percent-encoded like references.
  const name = relative(base, file).split(/[\\/]/).map(encodeURIComponent).join('/')
  return { rule, severity: 'error', file: name, line, column, pointer: '', message }
}
