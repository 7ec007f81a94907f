import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { createSource } from '../../codegen/create-source.js'
import { emitConformance } from '../../codegen/emit-conformance.js'
import {
  contractTerms,
  loadScenarios,
  type RuleReason,
  readRuleReasons,
  type Scenario,
  ScenarioError,
  scenariosOf,
} from '../../conformance/index.js'
import type { Contract, LintFinding } from '../../contract/index.js'
import type { JsonValue } from '../../rpc/index.js'
import { UsageError } from '../io.js'

/** The folder of scenarios that is looked for beside a document. */
const scenarioFolderName = 'conformance'

/** Rules that no case tries, and why; beside the scenarios. */
const withoutCase = 'rules-without-case.yaml'

/** What is asked of a contract that has scenarios: contract and scenarios together. */
export const coverageRules = [
  {
    name: 'rule-without-case',
    severity: 'error',
    summary: `Each mandatory rule of "x-rules" has a case, or a reason in ${scenarioFolderName}/${withoutCase}.`,
  },
  {
    name: 'case-of-no-rule',
    severity: 'error',
    summary: 'The rules that scenarios name are in "x-rules".',
  },
  {
    name: 'scenario-not-usable',
    severity: 'error',
    summary: 'The scenarios beside the document can be used.',
  },
] as const

/** The scenarios of a contract, and the rules that have none for a reason. */
export interface LintedScenarios {
  readonly scenarios: readonly Scenario[]
  readonly exceptions: readonly RuleReason[]
  /** What stops them from being used. */
  readonly problems: readonly LintFinding[]
}

/**
 * Reads the scenarios of a document.
 * @param given the folder that was asked for; the one beside the document by default, where it holds any
 * @param base the folder of the document, to which the files of findings are relative
 * @returns undefined where there are none
 * @throws UsageError where the folder that was asked for does not exist
 */
export async function readLintedScenarios(
  given: string | undefined,
  base: string,
): Promise<LintedScenarios | undefined> {
  const folder = given ?? join(base, scenarioFolderName)
  if (!existsSync(folder)) {
    if (given === undefined) return undefined
    throw new UsageError(`${given}: there is no such folder`)
  }
  if (given === undefined && !(await holdsYaml(folder))) return undefined
  const list = join(folder, withoutCase)
  try {
    const { scenarios } = await loadScenarios(folder, { builtIn: false })
    const exceptions = existsSync(list) ? readRuleReasons(await readFile(list, 'utf8'), list) : []
    return { scenarios, exceptions, problems: [] }
  } catch (cause) {
    if (!(cause instanceof ScenarioError)) throw cause
    const problems = cause.problems.map((problem) => finding('scenario-not-usable', problem, base))
    return { scenarios: [], exceptions: [], problems }
  }
}

async function holdsYaml(folder: string): Promise<boolean> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.some((name) => /\.ya?ml$/i.test(name))
}

/** Mandatory rules without a case, and rules that cases name and that are not there. */
export interface CoverageProblems {
  /** At places of the contract. */
  readonly ofContract: readonly {
    readonly rule: string
    readonly pointer: string
    readonly message: string
  }[]
  /** At places of scenario files. */
  readonly ofFiles: readonly LintFinding[]
}

/** Holds a contract's rules and its cases, written and derived, against each other. */
export function coverageProblems(
  contract: Contract,
  { scenarios, exceptions, problems }: LintedScenarios,
  base: string,
): CoverageProblems {
  // Without all of its scenarios nothing is known of a rule.
  if (problems.length > 0) return { ofContract: [], ofFiles: problems }
  const { rules } = contractTerms(contract)
  const ids = new Set(rules.map(({ id }) => id))
  const tried = new Set([...scenarios, ...derivedCases(contract)].flatMap((scenario) => scenario.rules))
  const excepted = new Set(exceptions.map(({ rule }) => rule))
  const untried = rules.filter(
    ({ id, level }) => level === 'mandatory' && !tried.has(id) && !excepted.has(id),
  )
  return {
    ofContract: untried.map(({ id, pointer }) => ({
      rule: 'rule-without-case',
      pointer,
      message: `no case tries "${id}": write a scenario, or say why there is none in ${withoutCase}`,
    })),
    ofFiles: [
      ...scenarios.flatMap((scenario) =>
        scenario.rules
          .filter((id) => !ids.has(id))
          .map((id) => {
            const { file, line } = scenario.source
            const message = `"${scenario.id}" names the rule "${id}", which is not in "x-rules": correct it`
            return finding('case-of-no-rule', { file, line, column: 1, message }, base)
          }),
      ),
      ...exceptions.flatMap(({ rule, source }) => {
        const message = !ids.has(rule)
          ? `there is no rule "${rule}" in "x-rules": correct or remove it`
          : tried.has(rule)
            ? `"${rule}" has a case now: remove it here`
            : undefined
        return message === undefined ? [] : [finding('case-of-no-rule', { ...source, message }, base)]
      }),
    ],
  }
}

function derivedCases(contract: Contract): readonly Scenario[] {
  const file = emitConformance(createSource(contract, { name: 'concordat', version: '0.0.0' }))
  const document = JSON.parse(file?.content ?? '{"scenarios":[]}') as JsonValue
  return scenariosOf(document, 'conformance.json')
}

function finding(
  rule: (typeof coverageRules)[number]['name'],
  place: { readonly file: string; readonly line: number; readonly column: number; readonly message: string },
  base: string,
): LintFinding {
  const { file, line, column, message } = place
  // Names of files are written as references write them.
  const name = relative(base, file).split(/[\\/]/).map(encodeURIComponent).join('/')
  return { rule, severity: 'error', file: name, line, column, pointer: '', message }
}
