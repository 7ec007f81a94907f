import { ContractError, type ContractProblem } from '../contract-error.js'
import { type JsonValue, objectMember } from '../json.js'
import { type Documents, documentOf } from '../load/documents.js'
import { followReferences, type LoadOptions, readSource } from '../load/load-documents.js'
import { parseDocument } from '../load/parse-document.js'
import { type FindPosition, positionsIn, sourcePositions } from '../load/source-positions.js'
import { documentProblems, isOpenRpcDocument } from '../load/validate-document.js'
import { readModel } from '../model/read-contract.js'
import type { LintSubject, Severity } from './lint-rule.js'
import { lintRules } from './lint-rules.js'

/** A problem with its place in the file. */
export interface LintFinding {
  readonly rule: string
  readonly severity: Severity
  /** The file's name relative to the contract's own document; `''` for that document. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** JSON pointer within the file, `''` for the file as a whole. */
  readonly pointer: string
  readonly message: string
}

/** How a contract is linted. */
export interface LintOptions extends LoadOptions {
  /**
   * What else stands in the way of using the contract, such as names that collide in generated code.
   * @returns what generated code leaves out
   * @throws ContractError
   */
  readonly generate?: (subject: LintSubject) => readonly ContractProblem[]
  /** What rules of the caller's own say of a contract that could be read; each is an error. */
  readonly more?: (subject: LintSubject) => readonly RuleProblem[]
}

/**
 * Every problem of a contract, in the order of its files and lines.
 * @param source a file, a folder, or `-` for standard input
 * @throws ContractError where the document itself cannot be read from where it is
 */
export async function lintContract(
  source: string,
  options: LintOptions = {},
): Promise<readonly LintFinding[]> {
  const read = await readSource(source, options)
  const broken = (problems: readonly ContractProblem[]) =>
    findings(problems.map(withRule), positionsIn(read.text))
  let root: JsonValue
  try {
    root = parseDocument(read.text, read.path)
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return broken(error.problems)
  }
  const problems = documentProblems(root)
  if (!isOpenRpcDocument(root)) return broken(problems)
  const documents = await followReferences(read, root, options)
  return findings(problemsOf(documents, problems.map(withRule), options), sourcePositions(documents.all()))
}

/** A problem and the name of the rule that it goes against. */
type RuleProblem = ContractProblem & { readonly rule: string }

/** Without a place it is the file that cannot be read, with one the meta-schema that it breaks. */
function withRule(problem: ContractProblem): RuleProblem {
  return { rule: problem.pointer === '' ? 'not-readable' : 'meta-schema', ...problem }
}

/** @param broken what the meta-schema finds: it hides nothing else, but nothing is generated from such a document */
function problemsOf(
  documents: Documents,
  broken: readonly RuleProblem[],
  { generate, more }: LintOptions,
): readonly RuleProblem[] {
  const { contract, problems } = readModel(documents)
  const document = documents.root
  const subject: LintSubject = { contract, documents, document, info: objectMember(document, 'info') }
  const read = problems
    .filter((problem) => problem.rule !== 'meta-schema' || !broken.some((other) => areNested(problem, other)))
    .map((problem) => ({ rule: 'not-generated', ...problem }))
  const checked = lintRules.flatMap(({ name, check }) =>
    (check ? unlessUnreadable(() => check(subject)) : []).map((problem) => ({ rule: name, ...problem })),
  )
  const found = [...broken, ...read]
  const generated = found.length > 0 || !generate ? [] : collected(() => generate(subject))
  const others = found.length > 0 || !more ? [] : unlessUnreadable(() => more(subject))
  // What another rule tells of more exactly is not told again.
  const isTold = ({ pointer }: ContractProblem) =>
    checked.some((problem) => isWithin(problem.pointer, pointer))
  return [...found, ...checked, ...generated.filter((problem) => !isTold(problem)), ...others]
}

function areNested(one: ContractProblem, other: ContractProblem): boolean {
  return isWithin(one.pointer, other.pointer) || isWithin(other.pointer, one.pointer)
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`)
}

/** A rule that comes upon something the reader has already told of has nothing to add. */
function unlessUnreadable<Problem>(check: () => readonly Problem[]): readonly Problem[] {
  try {
    return check()
  } catch (error) {
    if (error instanceof ContractError) return []
    throw error
  }
}

function collected(work: () => readonly ContractProblem[]): readonly RuleProblem[] {
  try {
    return work().map((problem) => ({ rule: 'left-out', ...problem }))
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return error.problems.map((problem) => ({ rule: 'not-generated', ...problem }))
  }
}

function findings(problems: readonly RuleProblem[], find: FindPosition): readonly LintFinding[] {
  const told = new Set<string>()
  const once = problems.filter(({ rule, pointer, message, position }) => {
    const key = JSON.stringify([rule, pointer, message, position])
    return !told.has(key) && told.add(key)
  })
  const rules = new Map(lintRules.map((rule) => [rule.name, rule]))
  const all = once.map(({ rule, pointer, message, position }) => ({
    rule,
    severity: rules.get(rule)?.severity ?? 'error',
    file: documentOf(pointer),
    ...(position ?? (pointer === '' ? { line: 1, column: 1 } : find(pointer))),
    pointer,
    message: advised(message, rules.get(rule)?.advice),
  }))
  return all.sort(
    (one, other) => one.file.localeCompare(other.file) || one.line - other.line || one.column - other.column,
  )
}

/** What stands behind a colon says what to do, or why; a message without one gets its rule's advice. */
function advised(message: string, advice: string | undefined): string {
  return advice === undefined || message.includes(': ') ? message : `${message}: ${advice}`
}
