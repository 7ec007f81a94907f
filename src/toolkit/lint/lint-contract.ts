import type { ChosenNames, GenerationProblems } from '../codegen/index.js'
import {
  ContractError,
  type ContractProblem,
  type Documents,
  documentOf,
  documentProblems,
  type FindPosition,
  followReferences,
  isOpenRpcDocument,
  type JsonValue,
  type LoadOptions,
  objectMember,
  parseDocument,
  positionsIn,
  readModel,
  readSource,
  sourcePositions,
} from '../contract/index.js'
import type { Fix } from './apply-fixes.js'
import type { LintRule, LintSubject, Severity } from './lint-rule.js'
import { lintRules } from './lint-rules.js'
import { fixOf } from './meta-fixes.js'
import { refusalsOf } from './refusals.js'

/** A problem and its position in the file. */
export interface LintFinding {
  readonly rule: string
  readonly severity: Severity
  /** The file name relative to the main document, `''` for the main document. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** JSON pointer within the file, `''` for the whole file. */
  readonly pointer: string
  readonly message: string
  /** Edits that correct the problem, if they are certain. */
  readonly fix?: Fix
}

/** Options for linting a contract. */
export interface LintOptions extends LoadOptions {
  /** Names of the project in place of generated ones. */
  readonly names?: ChosenNames | undefined
  /** Additional checks by the caller, for contracts that could be read. A rule that is not in `lintRules` is an error. */
  readonly more?: (subject: LintSubject) => readonly RuleProblem[]
  /** Rules in addition to `lintRules`. */
  readonly rules?: readonly LintRule[]
}

/**
 * Finds all problems of a contract.
 * @param source a file, a folder, or `-` for standard input
 * @param options additional checks, and limits for other files
 * @returns the findings, sorted by file and line
 * @throws ContractError when the main document cannot be read
 */
export async function lintContract(
  source: string,
  options: LintOptions = {},
): Promise<readonly LintFinding[]> {
  const read = await readSource(source, options)
  const unusable = (problems: readonly ContractProblem[]) =>
    findings(problems.map(withRule), positionsIn(read.text))
  let root: JsonValue
  try {
    root = parseDocument(read.text, read.path)
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return unusable(error.problems)
  }
  const problems = documentProblems(root)
  if (!isOpenRpcDocument(root)) return unusable(problems)
  const documents = await followReferences(read, root, options)
  const broken = problems.map((problem) => ({ ...withRule(problem), ...fixOf(problem, root) }))
  return findings(problemsOf(documents, broken, options), sourcePositions(documents.all()), options.rules)
}

/** A problem with the name of its lint rule. */
type RuleProblem = ContractProblem & { readonly rule: string; readonly fix?: Fix }

/** Adds the rule: problems without a place mean an unreadable file, all others violate the meta-schema. */
function withRule(problem: ContractProblem): RuleProblem {
  return { rule: problem.pointer === '' ? 'not-readable' : 'meta-schema', ...problem }
}

/**
 * Collects all problems. Code is generated only if the document is valid.
 * @param documents the files of the contract
 * @param broken violations of the meta-schema
 * @param options additional checks
 */
function problemsOf(
  documents: Documents,
  broken: readonly RuleProblem[],
  { names, more, rules = [] }: LintOptions,
): readonly RuleProblem[] {
  const { contract, problems } = readModel(documents)
  const document = documents.root
  const subject: LintSubject = { contract, documents, document, info: objectMember(document, 'info') }
  const read = problems
    .filter((problem) => problem.rule !== 'meta-schema' || !broken.some((known) => areNested(problem, known)))
    .map((problem) => ({ rule: 'not-generated', ...problem }))
  const checked = [...lintRules, ...rules].flatMap(({ name, check }) =>
    (check ? unlessUnreadable(() => check(subject)) : []).map((problem) => ({ rule: name, ...problem })),
  )
  const found = [...broken, ...read]
  const generated = found.length > 0 ? [] : withRules(refusalsOf(contract, names))
  const additional = found.length > 0 || !more ? [] : unlessUnreadable(() => more(subject))
  // Problems that another rule reports more precisely are not repeated. A warning does not stand for an error.
  const errors = new Set([...lintRules, ...rules].filter(isError).map(({ name }) => name))
  const isReported = ({ pointer }: ContractProblem) =>
    checked.some((problem) => errors.has(problem.rule) && isWithin(problem.pointer, pointer))
  return [...found, ...checked, ...generated.filter((problem) => !isReported(problem)), ...additional]
}

const isError = ({ severity }: LintRule): boolean => severity === 'error'

function areNested(a: ContractProblem, b: ContractProblem): boolean {
  return isWithin(a.pointer, b.pointer) || isWithin(b.pointer, a.pointer)
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`)
}

/** Runs a check. A ContractError means that the reader already reported the problem. */
function unlessUnreadable<Problem>(check: () => readonly Problem[]): readonly Problem[] {
  try {
    return check()
  } catch (error) {
    if (error instanceof ContractError) return []
    throw error
  }
}

function withRules({ refused, leftOut }: GenerationProblems): readonly RuleProblem[] {
  return [
    ...refused.map((problem) => ({ rule: 'not-generated', ...problem })),
    ...leftOut.map((problem) => ({ rule: 'left-out', ...problem })),
  ]
}

function findings(
  problems: readonly RuleProblem[],
  find: FindPosition,
  additional: readonly LintRule[] = [],
): readonly LintFinding[] {
  const seen = new Set<string>()
  const unique = problems.filter(({ rule, pointer, message, position }) => {
    const key = JSON.stringify([rule, pointer, message, position])
    return !seen.has(key) && seen.add(key)
  })
  const rules = new Map([...lintRules, ...additional].map((rule) => [rule.name, rule]))
  const all = unique.map(({ rule, pointer, message, position, fix }) => ({
    rule,
    severity: rules.get(rule)?.severity ?? 'error',
    file: documentOf(pointer),
    ...(position ?? (pointer === '' ? { line: 1, column: 1 } : find(pointer))),
    pointer,
    message: withAdvice(message, rules.get(rule)?.advice),
    ...(fix && { fix }),
  }))
  return all.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column)
}

/** Adds the advice of the rule to a message. Messages with a colon already contain advice. */
function withAdvice(message: string, advice: string | undefined): string {
  return advice === undefined || message.includes(': ') ? message : `${message}: ${advice}`
}
